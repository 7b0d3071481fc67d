// An adapter for mittwald, whose API makes a database and its user with one request, and writes A and AAAA with one: see README.md.
import { serveHalves } from "./halves.mjs";
import { serveRecords } from "./mittwald-records.mjs";
import { callVendor, startAdapter } from "./server.mjs";
import { asker, fail } from "./vendor.mjs";

const own = { "x-access-token": process.env.VENDOR_KEY };
const ask = asker(own);
const userPath = ({ record }) => `/v2/mysql-users/${record.user_id}`;

const vendor = {
  prefix: "/v2",

  /** The vendor makes up names: a database goes by its description, and its main user by that of its database. */
  async list(project) {
    const all = await ask("GET", `/v2/projects/${project}/mysql-databases`);
    return Promise.all(
      all.map(async (database) => {
        // A database that goes meanwhile is no list that is missing.
        const users = await ask("GET", `/v2/mysql-databases/${database.id}/users`).catch(() =>
          fail(502, "incomplete", "the users of a database were not read"),
        );
        const main = users.find(({ mainUser }) => mainUser);
        const { id: identity, description: name, ...record } = database;
        return { name, user: main && name, identity, record: { ...record, full_name: record.name, user_id: main?.id } };
      }),
    );
  },

  check({ name, username = name }) {
    if (username !== name)
      fail(422, "validation_failed", `the vendor makes up the user's name: call it ${name}, as its database`);
  },

  create: (project, { name, record }, { password }) =>
    ask("POST", `/v2/projects/${project}/mysql-databases`, {
      database: { description: name, ...record },
      user: { password, accessLevel: "full" },
    }),
  remove: (_, { identity }) => ask("DELETE", `/v2/mysql-databases/${identity}`),
  update: ({ identity, record }, { characterSettings }) =>
    ask("PATCH", `/v2/mysql-databases/${identity}`, {
      characterSettings: { ...record.characterSettings, ...characterSettings },
    }),
  setPassword: (_, database, password) => ask("PATCH", `${userPath(database)}/password`, { password }),
  // A user that is not found is locked well enough.
  lock: (_, database) =>
    ask("POST", `${userPath(database)}/actions/disable`).catch((error) => {
      if (error.answer?.status !== 404) throw error;
    }),
  async unlock(project, database, { password }) {
    await vendor.setPassword(project, database, password);
    await ask("POST", `${userPath(database)}/actions/enable`);
  },
};

const halves = serveHalves(vendor);
const records = serveRecords(ask);
startAdapter(async (request) => halves(request) ?? records(request) ?? callVendor(request, own));
