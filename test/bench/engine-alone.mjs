// Prints, as a JSON list, the milliseconds that matching, diffing and ordering takes in memory, for each number of resources given:
//   engine-alone.mjs changed|new TIMES RESOURCES...
// changed: every hundredth resource differs from its live object. new: nothing is live.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadContract } from "../../dist/contract/load-contract.js";
import { loadManifestFiles } from "../../dist/engine/session/load-manifest.js";
import { readLive } from "../../dist/live/read-live.js";
import { wantedCollections } from "../../dist/live/wanted-collections.js";
import { everything, nothingAllowed, nothingOwned } from "../../dist/model/plan-input.js";
import { plan } from "../../dist/plan/plan.js";

const zoneCount = 20;
const target = { name: "bench", baseUrl: "https://bench.invalid", contract: "v2026", emulator: false };
const host = { env: {}, keepSecret: () => undefined, keepPublic: () => undefined };

/** Returns what a manifest with one zone and one A record declares. */
async function loadSample() {
  const folder = mkdtempSync(join(tmpdir(), "hostform-bench-"));
  const file = join(folder, "m.yaml");
  writeFileSync(
    file,
    "version: 1\nname: bench\ndns: { zone.example: { records: { www: { A: { ttl: 3600, values: [192.0.2.1] } } } } }\n",
  );
  const { result } = await loadManifestFiles([file], { allowFile: [] }, host);
  rmSync(folder, { recursive: true });
  const [zone, record] = result.desired.resources.values();
  return { desired: result.desired, zone, record };
}

/** Returns the sample with so many records in twenty zones, and the lists of a server that holds them. */
function enlarge({ desired, zone, record }, count, isNew) {
  const resources = new Map();
  const lists = new Map([["/v2026/dns/zones", []]]);
  for (let number = 0; number < count; number += 1) {
    const name = `zone${number % zoneCount}.example`;
    const path = `/v2026/dns/zones/${name}/records`;
    if (number < zoneCount) {
      resources.set(`dns_zone/${name}`, { ...zone, address: `dns_zone/${name}`, key: { name } });
      lists.get("/v2026/dns/zones").push({ id: name, name, ttl: 3600, etag: "1" });
      lists.set(path, []);
    }
    const host = `www${number}`;
    const address = `dns_record/${name}/${host}/A`;
    const content = `192.0.${(number >> 8) % 256}.${number % 256}`;
    const members = [{ fields: { content: { is: "known", value: content } } }];
    resources.set(address, { ...record, address, key: { zone: name, name: host, type: "A" }, members });
    const live = { id: `rec${number}`, name: host, type: "A", content, ttl: number % 100 === 0 ? 60 : 3600 };
    if (!isNew)
      lists.get(path).push({ ...live, priority: null, disabled: false, comment: null, managed: false, etag: "1" });
  }
  return { desired: { ...desired, resources }, lists };
}

const answerFrom = (lists) => ({
  async get({ path, query }) {
    const [list, page, size] = [lists.get(path), Number(query.page), Number(query.per_page)];
    const data = list.slice((page - 1) * size, page * size);
    return { ok: true, value: { status: 200, body: { data, meta: { total: list.length } } } };
  },
});

async function time(sample, count, isNew, times) {
  const { contract } = await loadContract(undefined);
  const { desired, lists } = enlarge(sample, count, isNew);
  const live = await readLive(answerFrom(lists), contract, wantedCollections(desired, nothingOwned));
  const asked = { target, consent: nothingAllowed, ownership: nothingOwned, selection: everything, now: 0 };
  const expected = isNew ? count : Math.ceil(count / 100);
  const durations = Array.from({ length: times }, () => {
    const started = process.cpuUsage();
    const { steps } = plan({ ...asked, desired, live: live.value, contract });
    const { user, system } = process.cpuUsage(started);
    if (steps.length !== expected) throw new Error(`Expected ${expected} steps, there were ${steps.length}.`);
    return (user + system) / 1000;
  });
  return { size: count, time: Math.min(...durations) };
}

const [kind, times, ...counts] = process.argv.slice(2);
const sample = await loadSample();
const points = [];
for (const count of counts.map(Number))
  points.push(
    await time(sample, count, kind === "new", Math.max(1, Math.min(Number(times), Math.ceil(300_000 / count)))),
  );
console.log(JSON.stringify(points));
