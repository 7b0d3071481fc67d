// The least that a command must do, in a process of its own so that both pay for starting one:
//   parse FOLDER | get | plan FOLDER | post RECORDS     (all but parse: BASE_URL, CA_FILE and API_KEY in the environment)
import { readdirSync, readFileSync } from "node:fs";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { makeZones } from "./made-zones.mjs";

const parallelism = 10;
const perPage = 100;

const floors = {
  /** Parses the texts with yaml's defaults, without its quadratic check of keys. */
  async parse(folder) {
    const { parse } = await import("yaml");
    for (const file of readdirSync(folder)) parse(readFileSync(join(folder, file), "utf8"), { uniqueKeys: false });
  },
  /** Gets every page of the zones and of their records. */
  async get() {
    const { send, close } = await connect();
    const page = (path, number) => send("GET", `${path}?page=${number}&per_page=${perPage}`);
    const list = async (path) => {
      const first = await page(path, 1);
      const pages = Math.ceil(first.meta.total / perPage);
      const others = await Promise.all(Array.from({ length: pages - 1 }, (_, index) => page(path, index + 2)));
      return [first, ...others].flatMap(({ data }) => data);
    };
    const zones = await list("/v2026/dns/zones");
    await Promise.all(zones.map(({ id }) => list(`/v2026/dns/zones/${id}/records`)));
    await close();
  },
  /** Parses the texts, then gets every page: the least that a plan must do. */
  async plan(folder) {
    await floors.parse(folder);
    await floors.get();
  },
  /** Posts the zones, then their records. */
  async post(count) {
    const { send, close } = await connect();
    await Promise.all(
      makeZones(Number(count)).map(async ({ name, records }) => {
        const { data } = await send("POST", "/v2026/dns/zones", { name });
        await Promise.all(records.map((record) => send("POST", `/v2026/dns/zones/${data.id}/records`, record)));
      }),
    );
    await close();
  },
};

async function connect() {
  const { Pool } = await import("undici");
  const { BASE_URL, CA_FILE, API_KEY } = process.env;
  const pool = new Pool(BASE_URL, { connections: parallelism, connect: { ca: readFileSync(CA_FILE, "utf8") } });
  const authorization = `Bearer ${API_KEY}`;
  const send = async (method, path, body) => {
    const answer = await pool.request({
      method,
      path,
      headers: {
        authorization,
        ...(body && { "content-type": "application/json", "idempotency-key": randomUUID() }),
      },
      body: body && JSON.stringify(body),
    });
    const json = await answer.body.json();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${JSON.stringify(json)}`);
    return json;
  };
  return { send, close: () => pool.close() };
}

const [floor, ...args] = process.argv.slice(2);
await floors[floor](...args);
