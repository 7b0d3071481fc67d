import { refusals as refuse } from "../../src/messages/refusals.ts";
import { toAddress, type Address } from "../../src/model/address.ts";
import type { Drift } from "../../src/model/drift.ts";
import type { Change, Plan, Shown, Step } from "../../src/model/plan.ts";
import type { Outcome, Report } from "../../src/model/report.ts";
import type { CollectionId } from "../../src/model/resource.ts";
import type { PageSource } from "../../src/render/page/page-items.ts";

const value = (given: string | number | boolean): Shown => ({ is: "value", value: given });
const absent: Shown = { is: "absent" };
const target = { name: "agency", baseUrl: "https://api.your-host.example/", contract: "v2026", emulator: false };
const change = (path: string, before: Shown, after: Shown): Change => ({ path, before, after });

/** Seven steps for each customer, most of them in a chain, and a refusal for every third. `text` stands in names, values and sentences. */
export function planOfCustomers(count: number, text = ""): Plan {
  const name = partOf(text);
  const steps: Step[] = [];
  const refusals: Plan["refusals"][number][] = [];
  for (let index = 0; index < count; index += 1) {
    const domain = `c${index}.example`;
    const add = (
      path: string,
      action: Step["action"],
      changes: readonly Change[],
      after: readonly string[] = [],
      more: Partial<Step> = {},
    ) => {
      const id = `${action} ${path}`;
      steps.push({
        id,
        address: path as Address,
        action,
        replaces: false,
        purchase: false,
        changes,
        after,
        calls: [call(action, domain)],
        reason: reasons[action],
        at: { file: `hosting/${domain}.yaml`, line: steps.length + 1, col: 3 },
        ...more,
      });
      return id;
    };
    const service = add(`service/${domain}${name}`, "create", [change("plan", absent, value(`WEB-M${text}`))]);
    const known = { is: "known_after_apply" } as const;
    const made = add(`domain/${domain}`, "create", [change("service", absent, known)], [service], {
      purchase: index === 0,
    });
    const zone = add(
      `dns_zone/${domain}`,
      "update",
      [change("dnssec", value(false), value(true)), change("soa_email", value("a@old.example"), value(`a@${domain}`))],
      [made],
      { origin: "this_change" },
    );
    const until = `create dns_record/${domain}/www${name}/CNAME`;
    const gaps = index % 10 === 0 ? [{ name: `www${text}.${domain}`, types: ["A"], until }] : [];
    const old = [change("value", value("198.51.100.7"), absent)];
    const gone = add(`dns_record/${domain}/www${name}/A`, "delete", old, [zone], gaps.length > 0 ? { gaps } : {});
    const spf = add(
      `dns_record/${domain}/@/TXT`,
      "update",
      [
        change(
          "value",
          value(`v=spf1 include:old.example${text} -all`),
          value(`v=spf1 include:new.example${text} -all`),
        ),
      ],
      [service],
      { origin: "drift" },
    );
    add(until.slice(7), "create", [change("value", absent, value(`${domain}.`))], [service, zone, gone, spf]);
    const mailbox = `mailbox/info${name}@${domain}` as Address;
    if (index % 3 !== 0) add(mailbox, "update", [change("quota_mb", value(2048), value(5120))], [made]);
    else {
      add(mailbox, "delete", [change("quota_mb", value(2048), absent)]);
      refusals.push(refuse.needsConsent({ address: mailbox }, text));
    }
  }
  return {
    target: { ...target, name: `agency${text}` },
    steps,
    refusals,
    diagnostics: [],
    unmanaged: [{ collection: "mailbox" as CollectionId, addresses: [`mailbox/old${name}@c0.example` as Address] }],
    incomplete: [],
    unchanged: 12,
    owned: { addresses: [], preventDestroy: [], exclusive: [] },
    leftOut: [`cron/c0.example/backup${name}` as Address],
    ignoredSpellings: [{ address: `dns_record/c0.example/x/A` as Address, path: "value", written: text, live: "y" }],
    reads: 14,
    hash: `sha256:${"3f9a5c1e".repeat(8)}`,
  };
}

/** Returns a text as it stands in an address. */
const partOf = (text: string) => toAddress("x", [text]).slice(2);

const reasons: Readonly<Record<Step["action"], Step["reason"]>> = {
  create: { is: "not_live" },
  update: { is: "fields_differ", fields: ["quota_mb"] },
  delete: { is: "not_declared" },
  renew: { is: "expires_soon", text: "it expires soon" },
};

const call = (action: Step["action"], domain: string): Step["calls"][number] => ({
  operation: "delete",
  method: { create: "POST", update: "PUT", delete: "DELETE", renew: "POST" }[action],
  path: "/v2026/zones/{zone_id}/records",
  params: { zone_id: { idOf: `dns_zone/${domain}` as Address } },
  query: {},
  etag: undefined,
});

/** The fourth step fails, the fifth waits for it, and the second is not ready. */
function reportOf({ steps }: Plan, text: string): Report {
  const failure = {
    sort: "conflict",
    status: 409,
    code: "in_use",
    method: "DELETE",
    path: "/v2026/x",
    message: `locked ${text}`,
  };
  const special: Readonly<Record<number, Outcome>> = {
    1: { is: "done", external: `the registry is asked ${text}` },
    3: { is: "failed", failure: failure as Extract<Outcome, { is: "failed" }>["failure"], callsDone: 0 },
    5: { is: "blocked", by: steps[3]?.id ?? "" },
  };
  return {
    outcomes: steps.map((step, index) => ({ step, outcome: special[index] ?? { is: "done" } })),
    interrupted: false,
    requests: { writes: 11, repeated: 1, reads: 20, polls: 3 },
    mismatches: [],
    milliseconds: 8123,
  };
}

function driftOf(text: string): Drift {
  const name = partOf(text);
  const items = [
    {
      address: "dns_record/c0.example/@/A",
      is: "differs",
      changes: [change("value", value("192.0.2.1"), value(text))],
    },
    { address: `mailbox/info${name}@c0.example`, is: "gone", changes: [change("quota_mb", value(1), absent)] },
    { address: "mailbox/new@c0.example", is: "appeared", changes: [], note: `nobody ${text}` },
  ] as unknown as Drift["items"];
  return {
    target,
    lastApply: { time: "2026-11-20T08:00:00Z", by: `ci ${text}` },
    items,
    tolerated: [],
    incomplete: [],
  };
}

/** What each sort of page shows, with a text of others in each place where there may be one. */
export const pageSources = (text = ""): Readonly<Record<"plan" | "report" | "drift", PageSource>> => {
  const plan = planOfCustomers(2, text);
  const diagnostics = [
    {
      severity: "warning",
      code: "behind_main",
      summary: `This branch is behind main ${text}`,
      hint: `merge it ${text}`,
    },
    {
      severity: "error",
      code: "unknown_field",
      summary: `Unknown field ${text}`,
      detail: `expected ${text}`,
      at: { file: `a${text}.yaml`, line: 1, col: 1 },
      frame: `quotas: ${text}\n^^^^^^`,
    },
  ] as const;
  const notices = [{ type: "pending", address: "domain/c0.example" as Address, reason: text }] as const;
  return {
    plan: { plan, diagnostics, notices },
    report: { plan, report: reportOf(plan, text), diagnostics: [], notices: [] },
    drift: { drift: driftOf(text), diagnostics: [], notices: [] },
  };
};
