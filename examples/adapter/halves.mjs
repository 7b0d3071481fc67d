// Databases and their users, where the vendor makes and deletes both with one request: see README.md, "Two objects in one request".
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { answerWith, ownFile } from "./server.mjs";
import { asList, fail, makeQueue } from "./vendor.mjs";

/**
 * Notes by `account/database`: { waiting } is a database without its user, which the vendor does not have yet; { lost } is the identity of a
 * database at the vendor whose user was deleted. No password is among them.
 */
const readNotes = () =>
  existsSync(ownFile("halves.json")) ? JSON.parse(readFileSync(ownFile("halves.json"), "utf8")) : {};

/** Replaces the file of notes: after an end at any line, or of the machine, it is the earlier or the later one. */
function setNote(key, note) {
  const { [key]: _, ...others } = readNotes();
  const text = JSON.stringify(note ? { ...others, [key]: note } : others);
  writeFileSync(ownFile("halves.json.new"), text, { mode: 0o600, flush: true });
  renameSync(ownFile("halves.json.new"), ownFile("halves.json"));
  const folder = openSync(ownFile("."));
  fsyncSync(folder);
  closeSync(folder);
}

/** Reads the vendor's databases of an account, and removes the notes that they contradict. */
async function readAccount(vendor, account) {
  const live = await vendor.list(account);
  const notes = new Map();
  for (const [key, note] of Object.entries(readNotes()).filter(([key]) => key.startsWith(`${account}/`))) {
    const name = key.slice(account.length + 1);
    const isLive = live.some((each) => each.name === name && (!note.lost || each.identity === note.lost));
    if (isLive === Boolean(note.lost)) notes.set(name, note);
    else setNote(key);
  }
  const waiting = [...notes.values()].flatMap(({ waiting }) => waiting ?? []);
  const databases = [...live, ...waiting].map(({ name, record }) => ({ ...record, id: name, name }));
  const held = live.filter(({ name }) => !notes.has(name));
  const users = [...new Set(held.flatMap(({ user }) => user ?? []))].map((username) => {
    const own = held.filter(({ user }) => user === username);
    return { id: username, username, grants: own.map(({ name }) => ({ database: name, privileges: "all" })) };
  });
  return { live, notes, databases, users };
}

function byId(items, id, key = "id") {
  const found = items.filter((item) => item[key] === id);
  if (found.length > 1) fail(409, "conflict", `there are ${found.length} objects named ${id}`);
  return found[0] ?? fail(404, "not_found", `there is no ${id}`);
}

const operations = {
  "GET databases": ({ databases }) => asList(databases),
  "GET databases/id": ({ databases }, { id }) => answerWith(200, { data: byId(databases, id) }),
  "GET database-users": ({ users }) => asList(users),
  "GET database-users/id": ({ users }, { id }) => answerWith(200, { data: byId(users, id) }),

  "POST databases": ({ databases }, { vendor, account, body: { name, ...record } }) => {
    if (databases.some((each) => each.name === name)) fail(409, "conflict", `${name} exists`);
    vendor.check({ account, name });
    setNote(`${account}/${name}`, { waiting: { name, record } });
    return answerWith(201, { data: { ...record, id: name, name } });
  },

  "PATCH databases/id": async ({ databases, live, notes }, { vendor, account, id, body }) => {
    byId(databases, id);
    const { waiting } = notes.get(id) ?? {};
    if (waiting) setNote(`${account}/${id}`, { waiting: { name: id, record: { ...waiting.record, ...body } } });
    else await vendor.update(byId(live, id, "name"), body);
    return answerWith(204);
  },

  "DELETE databases/id": async ({ databases, live, notes, users }, { vendor, account, id }) => {
    byId(databases, id);
    if (users.some(({ grants }) => grants.some(({ database }) => database === id)))
      fail(409, "conflict", `${id} has a user`);
    if (!notes.get(id)?.waiting) await vendor.remove(account, byId(live, id, "name"));
    setNote(`${account}/${id}`);
    return answerWith(204);
  },

  "POST database-users": async ({ live, notes, users }, { vendor, account, body }) => {
    const { username, password, grants: [grant, ...others] = [] } = body;
    const note = notes.get(grant?.database);
    if (!note || others.length > 0 || grant.privileges !== "all" || users.some(({ id }) => id === username))
      fail(422, "validation_failed", "the vendor makes a user together with one new database, with all privileges");
    vendor.check({ account, name: grant.database, username });
    if (note.waiting) await vendor.create(account, note.waiting, { username, password });
    else await vendor.unlock(account, byId(live, grant.database, "name"), { username, password });
    // Only after the vendor has confirmed it. After an end before this line, the next list shows both, and the note goes then.
    setNote(`${account}/${grant.database}`);
    return answerWith(201, { data: { id: username, username, grants: [grant] } });
  },

  "PUT database-users/id/password": async ({ live, users }, { vendor, account, id, body }) => {
    byId(users, id);
    for (const each of live.filter(({ user }) => user === id)) await vendor.setPassword(account, each, body.password);
    return answerWith(204);
  },

  "DELETE database-users/id": async ({ live, users }, { vendor, account, id }) => {
    byId(users, id);
    for (const each of live.filter(({ user }) => user === id)) {
      // Locked first: a user that is no longer listed cannot log in.
      await vendor.lock(account, each);
      setNote(`${account}/${each.name}`, { lost: each.identity });
    }
    return answerWith(204);
  },
};

/** Returns what answers the paths below PREFIX/adapter/ACCOUNT, one request after the other; undefined for other paths. */
export function serveHalves(vendor) {
  const inTurn = makeQueue();
  return ({ method, path, body }) => {
    const [, prefix, account, kind, id, rest = ""] =
      /^(\/\w+)\/adapter\/([^/]+)\/(databases|database-users)(?:\/([^/]+)(\/password)?)?$/u.exec(path) ?? [];
    if (prefix !== vendor.prefix) return undefined;
    const operation = operations[`${method} ${kind}${id === undefined ? "" : "/id"}${rest}`];
    const asked = { vendor, account, id: id && decodeURIComponent(id), body: JSON.parse(String(body) || "{}") };
    return inTurn(async () =>
      operation
        ? operation(await readAccount(vendor, account), asked)
        : fail(405, "method_not_allowed", `${method} is not offered here`),
    );
  };
}
