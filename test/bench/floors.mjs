// The least that a command must do, in a process of its own so that both pay for starting one:
//   parse FOLDER | get | plan FOLDER | paths FILE | create RECORDS | update RECORDS | delete RECORDS
// All but parse need BASE_URL, CA_FILE and API_KEY in the environment.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { connected } from "./connect.mjs";
import { makeZones, zoneCount } from "./made-zones.mjs";

const perPage = 100;
const zonesPath = "/v2026/dns/zones";
const recordsPath = ({ id }) => `${zonesPath}/${id}/records`;

const floors = {
  /** Parses the texts with yaml's defaults, without its quadratic check of keys. */
  async parse(folder) {
    const { parse } = await import("yaml");
    for (const file of readdirSync(folder)) parse(readFileSync(join(folder, file), "utf8"), { uniqueKeys: false });
  },
  /** Gets every page of the zones and of their records. */
  get: () => connected((send) => getAll(send)),
  /** Parses the texts, then gets every page: the least that a plan must do. */
  async plan(folder) {
    await floors.parse(folder);
    await floors.get();
  },
  /** Gets the paths that the file lists as JSON. */
  paths: (file) =>
    connected((send) => Promise.all(JSON.parse(readFileSync(file, "utf8")).map((path) => send("GET", path)))),
  /** Gets all, posts the records of each zone, and gets all again. */
  create: (count) =>
    aroundWrites((send, zones) => {
      const made = new Map(makeZones(Number(count)).map(({ name, records }) => [name, records]));
      return zones.flatMap((zone) =>
        made.get(zone.name).map((record) => send("POST", recordsPath(zone), { body: record })),
      );
    }),
  /** Gets all, puts the records of the first half of the zones with another TTL, and gets all again. */
  update: () =>
    aroundWrites((send, zones) =>
      zones
        .slice(0, zoneCount / 2)
        .flatMap((zone) =>
          zone.records.map(({ id, etag, ...record }) =>
            send("PUT", `${recordsPath(zone)}/${id}`, { etag, body: { ...record, ttl: 7200 } }),
          ),
        ),
    ),
  /** Gets all, deletes the records of the second half of the zones, and gets all again. */
  delete: () =>
    aroundWrites((send, zones) =>
      zones
        .slice(zoneCount / 2)
        .flatMap((zone) => zone.records.map(({ id, etag }) => send("DELETE", `${recordsPath(zone)}/${id}`, { etag }))),
    ),
};

function aroundWrites(startWrites) {
  return connected(async (send) => {
    await Promise.all(startWrites(send, await getAll(send)));
    await getAll(send);
  });
}

const isOurs = ({ managed }) => !managed;

async function getAll(send) {
  const page = (path, number) => send("GET", `${path}?page=${number}&per_page=${perPage}`);
  const list = async (path) => {
    const first = await page(path, 1);
    const pages = Math.ceil(first.meta.total / perPage);
    const others = await Promise.all(Array.from({ length: pages - 1 }, (_, index) => page(path, index + 2)));
    return [first, ...others].flatMap(({ data }) => data);
  };
  const zones = await list(zonesPath);
  const order = (zone) => Number(/\d+/u.exec(zone.name)[0]);
  const whole = zones.map(async (zone) => ({ ...zone, records: (await list(recordsPath(zone))).filter(isOurs) }));
  return (await Promise.all(whole)).toSorted((one, other) => order(one) - order(other));
}

const [floor, ...args] = process.argv.slice(2);
await floors[floor](...args);
