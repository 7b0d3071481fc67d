import { writeFileSync } from "node:fs";
import { formatLease } from "../../src/state/lease/register.ts";
import { fileRegister } from "../../src/state/lease/file-register.ts";
import type { Refusal } from "../../src/messages/refusals.ts";
import type { Account } from "../support/account.ts";
import { sealedLines } from "../support/sealed-lines.ts";

/** The codes of all that keeps an apply from beginning, and that no race decides. */
export type RefusalCode =
  | Refusal["code"]
  | "locked"
  | "locked_here"
  | "in_flight_untold"
  | "made_under_other_name"
  | "deleted_and_listed";

export type Sections = Readonly<Record<string, object>>;

/** The surroundings of one trial: its files, and the account. */
export interface World {
  readonly journal: string;
  readonly inventory: string;
  readonly key: string;
  readonly create: Account["create"];
}

/** How an apply comes to be refused: two manifests, and what happens between them. `name` is the domain that it is about. */
export interface RefusalState {
  readonly first?: (name: string) => Sections;
  readonly now: (name: string) => Sections;
  /** `service`: the id of the service `name`, if there is one; `zone`: that of the zone. */
  readonly between?: (world: World, name: string, ids: { service: string; zone: string }) => Promise<void> | void;
  readonly flags?: (name: string) => readonly string[];
  /** The manifest is applied in another way: from a commit that the next one does not contain, or from two files of which one is given. */
  readonly how?: "older" | "two files";
  /** Its list is answered with 403. */
  readonly unreadable?: (name: string) => string;
}

const services = (name: string) => ({ services: { [name]: { plan: "WEB-M", datacenter: "MAD1" } } });
const zone = (name: string, more: object = {}) => ({ dns: { [name]: { records: {}, ...more } } });
const job = { schedule: "0 3 * * *", command: "x" };
const crons = (name: string, jobs: object, more: object = {}) => ({
  ...services(name),
  crons: { [name]: { ...more, jobs } },
});
const purchase = (name: string) => ({ domains: { [name]: { register: true } } });
const allowed = (name: string) => ["--allow-purchase", `domain/${name}`];
const records = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, { A: "192.0.2.1" }]));

const since = "2026-01-01T00:00:00Z";
const who = { by: "ann@desk", host: "desk", pid: 7, since };
const made =
  (cron: string) =>
  async ({ create }: World, _name: string, { service }: { service: string }) => {
    const { id } = await create("/crons", { service_id: service, name: cron, ...job });
    return id;
  };
const byHandCron = async (...given: Parameters<ReturnType<typeof made>>) => void (await made("by-hand")(...given));
const changeInventory = ({ inventory, key }: World, more: object) => {
  const empty = { version: 1, target: key, addresses: [], prevent_destroy: [] };
  writeFileSync(inventory, JSON.stringify({ ...empty, ...more }));
};
const leave = ({ journal, key }: World, ...lines: readonly object[]) =>
  writeFileSync(journal, sealedLines([{ type: "begin", version: 1, target: key, ...who }, ...lines]));
const intent = { type: "intent", n: 1, at: since, step: "s", method: "POST", path: "/x", operation: "create" };

/** A state for each code: what is refused so, `apply` and `plan` must say with the same words. */
export const refusalStates: Readonly<Record<RefusalCode, RefusalState>> = {
  protected: { first: zone, now: () => ({}) },
  purchase: { now: purchase },
  incomplete_read: {
    first: services,
    now: (name) => ({ ...services(name), mail: { [name]: { aliases: { sales: { destinations: ["a@b.test"] } } } } }),
    unreadable: (name) => `/v2026/mail/aliases?domain=${name}`,
  },
  in_the_way: {
    first: zone,
    now: (name) => zone(name, { records: { x: { CNAME: "one.test." } } }),
    between: async ({ create }, _name, ids) => {
      await create(`/dns/zones/${ids.zone}/records`, { name: "x", type: "A", content: "192.0.2.1", ttl: 60 });
    },
  },
  has_children: { first: services, now: () => ({}), between: byHandCron },
  managed_by_platform: {
    first: (name) => ({ ...services(name), certificates: { [name]: [{ domains: [name] }] } }),
    now: (name) => ({ ...services(name), removed: [{ address: `certificate/${name}/managed`, action: "delete" }] }),
  },
  refused_by_kind: {
    first: (name) => zone(name, { dnssec: { enabled: true } }),
    now: (name) => zone(name, { dnssec: { enabled: true, algorithm: 15 } }),
  },
  prevent_destroy: {
    first: (name) => crons(name, { n: { ...job, lifecycle: { prevent_destroy: true } } }),
    now: services,
  },
  emptied: { first: (name) => crons(name, { n: job }), now: services },
  first_exclusive: { first: services, now: (name) => crons(name, {}, { exclusive: true }), between: byHandCron },
  rolled_back: { first: (name) => zone(name, { records: records(2) }), now: zone, how: "older" },
  manifest_left_out: { first: (name) => zone(name), now: () => ({}), how: "two files" },
  over_budget: {
    first: (name) => zone(name, { records: records(12) }),
    now: (name) => zone(name, { records: records(4) }),
  },
  journal_lost: {
    now: purchase,
    between: (world) => changeInventory(world, { running: { ...who, until: since } }),
    flags: allowed,
  },
  unconfirmed: {
    now: purchase,
    between: (world, name) =>
      changeInventory(world, { unconfirmed: [{ address: `domain/${name}`, operation: "create", at: since }] }),
    flags: allowed,
  },
  policy: {
    first: zone,
    now: (name) => zone(name, { records: { marked: { A: "192.0.2.1" } } }),
    flags: (name) => {
      const refuse = `if grep -q /marked/A; then echo 'dns_record/${name}/marked/A: not on a Friday'; exit 1; fi`;
      return ["--policy-command", JSON.stringify(["sh", "-c", refuse])];
    },
  },
  locked: {
    now: zone,
    between: async ({ inventory }) => {
      const register = fileRegister(`${inventory}.lease`, () => "of-another");
      const found = await register.read();
      const held = await register.prepare(formatLease({ id: "other", counter: 1, ...who }));
      if (found.is === "read" && "version" in held) await register.swap(held.version, found.version);
    },
  },
  locked_here: {
    now: zone,
    between: ({ journal }) =>
      writeFileSync(`${journal}.lock`, `${JSON.stringify({ type: "lock", ...who, until: since })}\n`),
  },
  in_flight_untold: {
    now: purchase,
    between: (world, name) => leave(world, { ...intent, address: `domain/${name}`, once: true }),
    flags: allowed,
  },
  made_under_other_name: {
    first: services,
    now: (name) => crons(name, { "Nightly Job": job }),
    between: async (world, name, ids) => {
      const id = await made("nightly-job")(world, name, ids);
      const sent = { ...intent, address: `cron/${name}/Nightly%20Job` };
      leave(world, sent, { type: "outcome", n: 1, is: "unknown", id });
    },
  },
  deleted_and_listed: {
    first: services,
    now: services,
    between: async (world, name, ids) => {
      const id = await made("gone")(world, name, ids);
      const record = { service_id: ids.service, name: "gone", ...job };
      const [address, successor] = [`cron/${name}/gone`, `cron/${name}/next`];
      const again = { method: "POST", path: "/v2026/crons", query: {}, key: "k", record, withheld: [] };
      leave(world, { type: "hold", address, successor, id, ...again, deletion: { is: "done", at: since } });
    },
  },
};
