import type { Reader } from "../../src/api/connection.ts";
import { readLive } from "../../src/live/read-live.ts";
import { childrenNotRead, wantedCollections } from "../../src/live/wanted-collections.ts";
import { checkSchema } from "../../src/manifest/schema/check-schema.ts";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { parseSource } from "../../src/manifest/yaml/parse.ts";
import { secretReader } from "../../src/manifest/read/secrets.ts";
import type { Address } from "../../src/model/address.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import { everything, nothingAllowed, nothingOwned, type PlanInput } from "../../src/model/plan-input.ts";
import { letGoBy } from "../../src/plan/belongings.ts";
import { plan } from "../../src/plan/plan.ts";
import { builtIn } from "../support/built-in-contract.ts";

/** Live records by the path of their list, such as `/dns/zones` or `/crons?service_id=svc_1`. */
export type Lists = Readonly<Record<string, readonly JsonObject[]>>;

/** What the planner is given for a manifest and an account that holds these lists: no network, no file. */
export async function buildInput(
  manifest: string,
  lists: Lists | Reader,
  consent: Partial<PlanInput["consent"]> = {},
  now = Date.parse("2026-01-01T00:00:00Z"),
  more: Partial<Pick<PlanInput, "ownership" | "selection" | "contract">> = {},
  environment: Readonly<Record<string, string>> = { SECRET: "a secret value" },
): Promise<PlanInput> {
  const { root, diagnostics } = parseSource({ file: "m.yaml", text: `version: 1\nname: test\n${manifest}` });
  if (!root) throw new Error(JSON.stringify(diagnostics));
  const shape = checkSchema(root, true).diagnostics;
  if (shape.length > 0) throw new Error(JSON.stringify(shape));
  const { contract = builtIn } = more;
  const { desired, diagnostics: mistakes } = readDesired(
    root,
    secretReader(environment, "/nowhere", () => undefined),
    contract,
  );
  const errors = mistakes.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors));
  const target = { name: "test", baseUrl: "https://api.test/", contract: contract.name, emulator: false };
  const given = {
    desired,
    contract,
    target,
    consent: { ...nothingAllowed, ...consent },
    ownership: nothingOwned,
    selection: everything,
    now,
    ...more,
  };
  const reader = isReader(lists) ? lists : readerOf(lists);
  let live = await readLive(reader, contract, wantedCollections(desired, given.ownership));
  for (;;) {
    if (!live.ok) throw new Error(live.error.message);
    const input = { ...given, live: live.value };
    const { value } = live;
    const { steps } = plan(input);
    const going = steps.flatMap(({ action, address }) => (action === "delete" ? [address] : []));
    const letGo = steps.flatMap((step) => letGoBy(step, value));
    const unread = childrenNotRead(contract, { going, letGo }, value);
    if (unread.length === 0) return input;
    live = await readLive(reader, contract, unread, value);
  }
}

export const addresses = (...texts: string[]): ReadonlySet<Address> => new Set(texts as Address[]);

/** An inventory that holds these addresses, some of them marked `prevent_destroy`. */
export const ours = (
  held: readonly string[],
  kept: readonly string[] = [],
  exclusive: readonly string[] = [],
): Pick<PlanInput, "ownership"> => ({
  ownership: {
    ...nothingOwned,
    inventory: {
      addresses: addresses(...held),
      preventDestroy: addresses(...kept),
      exclusive: new Set(exclusive as CollectionId[]),
    },
  },
});

const isReader = (lists: Lists | Reader): lists is Reader => typeof lists["get"] === "function";

/** Answers GETs from lists. */
export function readerOf(lists: Lists): Reader {
  return {
    get: async ({ path, query = {} }) => {
      const { page = "1", per_page: size = "100", ...filter } = query;
      const search = new URLSearchParams(filter).toString();
      const data = lists[`${path.replace("/v2026", "")}${search === "" ? "" : `?${search}`}`] ?? [];
      if (isSingleList(path)) return single(data[0]);
      const shown = data.slice((Number(page) - 1) * Number(size), Number(page) * Number(size));
      return { ok: true, value: { ...answered, body: { data: shown, meta: { total: data.length } } } };
    },
  };
}

const answered = { status: 200, location: undefined, requestId: undefined, attempts: 1 };

const isSingleList = (path: string) => /\/dnssec$|\/mail\/settings\//u.test(path);

function single(record: JsonObject | undefined): Awaited<ReturnType<Reader["get"]>> {
  if (record) return { ok: true, value: { ...answered, body: { data: record } } };
  return { ok: false, error: { sort: "not_found", method: "GET", path: "", message: "not found", attempts: 1 } };
}

export const zone = { id: "z1", etag: "ez1", name: "example.com", ttl: 3600 };
export const service = {
  id: "s1",
  etag: "es1",
  type: "hosting",
  domain: "example.com",
  hosting: { id_service_type: "WEB-M" },
  datacenter: "MAD1",
  settings: {},
  status: "active",
};

let made = 0;
/** A live record of the zone z1. */
export function record(name: string, type: string, content: string, more: JsonObject = {}): JsonObject {
  made += 1;
  return {
    id: `r${made}`,
    etag: `er${made}`,
    name,
    type,
    content,
    ttl: 3600,
    priority: null,
    disabled: false,
    comment: null,
    managed: false,
    ...more,
  };
}

/** A manifest of the zone example.com with these records. */
export const records = (text: string) => `dns: { example.com: { records: ${text} } }`;

/** An account with the zone example.com, in which these records are live. */
export const inZone = (...live: JsonObject[]): Lists => ({ "/dns/zones": [zone], "/dns/zones/z1/records": live });
