import { loadManifestFiles } from "../../dist/engine/load-manifest.js";
import { loadContract } from "../../dist/contract/load-contract.js";
import { readLive } from "../../dist/live/read-live.js";
import { wantedCollections } from "../../dist/live/wanted-collections.js";
import { everything, nothingAllowed, nothingOwned } from "../../dist/model/plan-input.js";
import { plan } from "../../dist/plan/plan.js";

const target = { name: "bench", baseUrl: "https://bench.invalid", contract: "v2026", emulator: false };
const asked = { target, consent: nothingAllowed, ownership: nothingOwned, selection: everything, now: 0 };

const host = { env: {}, keepSecret: () => undefined, keepPublic: () => undefined };

/** Milliseconds that comparing takes by itself, without a file or a network: the best of `times`, all unchanged. */
export async function timePlan(folder, zones, times) {
  const { result } = await loadManifestFiles([folder], { allowFile: [] }, host);
  const { contract } = await loadContract(undefined);
  const live = await readLive({ get: answerFrom(zones) }, contract, wantedCollections(result.desired, nothingOwned));
  const durations = Array.from({ length: times }, () => {
    const started = performance.now();
    const { steps } = plan({ ...asked, desired: result.desired, live: live.value, contract });
    if (steps.length > 0) throw new Error(`Expected no changes, there were ${steps.length}.`);
    return performance.now() - started;
  });
  return Math.min(...durations);
}

function answerFrom(zones) {
  const lists = new Map([
    ["/v2026/dns/zones", zones.map(({ name }) => ({ id: name, name, ttl: 3600, etag: "1" }))],
    ...zones.map(({ name, records }) => [
      `/v2026/dns/zones/${name}/records`,
      records.map((record, index) => ({ id: `${name}-${index}`, ...record, comment: null, managed: false, etag: "1" })),
    ]),
  ]);
  return async ({ path, query }) => {
    const [list, page, size] = [lists.get(path), Number(query.page), Number(query.per_page)];
    const data = list.slice((page - 1) * size, page * size);
    return { ok: true, value: { status: 200, body: { data, meta: { total: list.length } } } };
  };
}
