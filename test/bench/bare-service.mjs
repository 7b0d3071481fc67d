// The embedded service's HTTPS server and SQLite store without what lies between them: no key, no schemas, no rules of kinds, no faults.
// It answers GET of pages and POST of zones and records. Its one argument is a JSON file: { data, seed, limit?: { calls, window } }, where
// a window (milliseconds) takes so many calls, and the rest gets 429 with Retry-After but no count of what is left.
import { randomBytes, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { makeId } from "../../dist/emulator/actions/context.js";
import { envelope, makeEtag, renderRecord } from "../../dist/emulator/http/answer.js";
import { listen } from "../../dist/emulator/http/listen.js";
import { createOperationLog } from "../../dist/emulator/http/operation-log.js";
import { readRequestBody } from "../../dist/emulator/http/read-body.js";
import { openStore } from "../../dist/emulator/store/store.js";
import { keepServerIdentity } from "../../dist/emulator/tls/server-identity.js";

const { data, seed, limit } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const now = Date.now;

const store = openStore(data, { now, random: randomBytes });
const { objects, replays, operations, transaction } = store;
const log = createOperationLog(store);
const headers = { "Content-Type": "application/json" };
const window = { start: 0, used: 0 };

function insert(kind, scope, fields) {
  const id = makeId(kind === "dns_zone" ? "zon" : "rec", randomBytes);
  const record = { id, ...fields };
  const naturalKey = `${kind} ${scope} ${fields.name} ${fields.type} ${fields.content}`;
  objects.insert({ id, kind, scope, naturalKey, record, schedule: [] });
  return record;
}

const addRecord = (zone, body) => insert("dns_record", zone, { comment: null, ...body, managed: false });

function isTooMany() {
  if (limit === undefined) return false;
  if (now() - window.start >= limit.window) Object.assign(window, { start: now(), used: 0 });
  window.used += 1;
  return window.used > limit.calls;
}

function listPage(kind, scope, query) {
  const [page, perPage] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 100)];
  const { records, total } = objects.page(kind, scope, page, perPage);
  const meta = JSON.stringify({ current_page: page, per_page: perPage, total });
  const body = `{"data":[${records.map((text) => renderRecord(text).text).join(",")}],"meta":${meta}}`;
  return { status: 200, headers: { ...headers, ETag: makeEtag(body) }, body };
}

function create(request, zone, bytes) {
  const record = addRecord(zone, JSON.parse(bytes));
  const { text, etag } = renderRecord(JSON.stringify(record));
  const answer = { status: 201, headers: { ...headers, ETag: etag }, body: envelope(text, "It was created.") };
  const key = request.headers["idempotency-key"];
  const requestHash = createHmac("sha256", store.salt).update(`POST ${request.url}\n`).update(bytes).digest("hex");
  if (key !== undefined && replays.find("key", key, now()) === undefined)
    replays.keep("key", key, requestHash, JSON.stringify(answer), now());
  return answer;
}

async function answer(request) {
  const started = now();
  const { method, url } = request;
  const [path, search = ""] = url.split("?");
  const zone = /^\/v2026\/dns\/zones\/([^/]+)\/records$/u.exec(path)?.[1];
  const entry = ({ status }) => ({
    time: started,
    key_id: null,
    method,
    path: url,
    status,
    request_id: makeId("req", randomBytes),
    duration_ms: now() - started,
    committed: method === "POST",
    fault: null,
  });
  const logged = (answered) => {
    log.later(entry(answered));
    return answered;
  };
  if (isTooMany())
    return logged({
      status: 429,
      headers: { ...headers, "Retry-After": String(Math.ceil((window.start + limit.window - now()) / 1000)) },
      body: JSON.stringify({ code: "rate_limited", message: "Too many requests." }),
    });
  if (method === "GET")
    return logged(listPage(zone === undefined ? "dns_zone" : "dns_record", zone, new URLSearchParams(search)));
  const bytes = await readRequestBody(request, 2 ** 20);
  return transaction(() => {
    const created = create(request, zone, bytes);
    operations.append(entry(created));
    return created;
  });
}

transaction(() => {
  const zones = new Map(
    seed.dns_zone.map((zone) => [zone.name, insert("dns_zone", "", { ...zone, status: "active" })]),
  );
  for (const { zone, ...record } of seed.dns_record) addRecord(zones.get(zone).id, record);
});
const host = "127.0.0.1";
const { caFile, cert, key } = keepServerIdentity(data, host, { now: now(), random: randomBytes });
const answerGarbage = () => ({ status: 400, headers, body: "{}" });
const { port } = await listen({ host, port: 0, cert, key, latencyMs: 0, answer, answerGarbage });
console.log(JSON.stringify({ type: "ready", base_url: `https://${host}:${port}`, ca_file: caFile }));
process.on("SIGTERM", () => {
  log.stop();
  store.close();
  process.exit();
});
