import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { eventsOf, exits, noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";
import { declare } from "./declare.ts";
import { hiddenRecords } from "./hidden-records.ts";
import { writeManifestFolder } from "./manifest-folder.ts";
import { liveLine, sourceLine } from "./plain-line.ts";
import { readAccount, readOperations, type Item, type Operation } from "./read-account.ts";
import { isPresent, readSource, type SourceRecord } from "./source.ts";

/** What is known of the files of `../shared/real`: records by what becomes of them, and what hostform says to those that cannot stay as they are. */
const sources = [
  {
    file: "moj.json",
    zones: 405,
    records: 6549,
    verdicts: {
      "adapted, Route53Provider/ALIAS: an ALIAS to the same target": 204,
      "adapted, TTL below 30 s: raised to 30": 2,
      "refused, NS at the apex: the platform manages it": 1620,
      "refused, PTR to an IP address: it holds a name": 3,
      "refused, at or below a zone of its own: it belongs there": 3,
      "refused, the name holds a #: no host name": 1,
      written: 4716,
    },
    hidden: 62,
    challenges: 11,
    surelyWrong: {},
    // The 1,620 name servers are 405 RRsets, and a diagnostic is about an RRset.
    diagnostics: {
      below_child_zone: 2,
      invalid_key: 1,
      invalid_value: 3,
      managed_by_platform: 405,
      not_taken: 2,
      unknown_key: 204,
    },
  },
  {
    file: "k8s.json",
    zones: 4,
    records: 199,
    verdicts: { written: 199 },
    hidden: 0,
    challenges: 2,
    // kubernetes.io has a CNAME to testgrid-data.k8s.io, and the zone k8s.io has no such name.
    surelyWrong: { "warning[target_missing]": 1 },
    diagnostics: {},
  },
];

// Ten seconds by itself; a machine that does much else at once gets its time.
const hookTimeout = 180_000;

for (const { file, ...known } of sources.filter(({ records }) => records < 1000 || size.largestZones)) {
  const absent = !isPresent(file);
  describe.skipIf(absent)(`the zones of ${file}${absent ? ` (../shared/real/${file} is absent)` : ""}`, () => {
    let run: Run;
    beforeAll(async () => {
      run = await moveZones(file);
    }, hookTimeout);
    afterAll(() => run.account.close());

    test("are sorted into what stays as it is, what has an equal, and what no hosting API takes", () => {
      expect(run.zones.length).toBe(known.zones);
      expect(run.source.length).toBe(known.records);
      expect(run.verdicts).toEqual(known.verdicts);
      expect(hiddenRecords(run.kept).length).toBe(known.hidden);
    });

    test("are valid; there is hardly anything to warn of but record sets that their own zone's delegation hides", () => {
      const said = eventsOf(run.validated).filter(({ type }) => type === "diagnostic");
      const codes = said.map(({ severity, code }) => `${String(severity)}[${String(code)}]`);
      const hidden = new Set(hiddenRecords(run.kept).map(({ zone, name, type }) => `${type} ${name} in ${zone}`));
      const told = said.flatMap(({ summary }) => /\S+ \S+ in \S+(?= is occluded:)/u.exec(String(summary)) ?? []);
      expect(countBy(codes, String)).toEqual({
        ...known.surelyWrong,
        ...(hidden.size > 0 && { "warning[hidden_by_delegation]": hidden.size }),
      });
      expect(told.toSorted()).toEqual([...hidden].toSorted());
      expect(run.validated.status).toBe(0);
    });

    test("are applied with the fewest possible calls", () => {
      expect(run.applied.status, run.applied.stderr).toBe(0);
      const writes = run.operations.filter(({ method }) => method !== "GET");
      expect(countBy(writes, ({ method, status }) => `${method} ${status}`)).toEqual({
        "POST 201": run.zones.length + run.kept.length,
      });
    });

    test("leave nothing to do for a second plan", () => {
      expect(run.planned.stdout).toMatch(/^No changes\./mu);
      expect(run.planned.status).toBe(0);
    });

    test("read the same by plain GETs, record by record", () => {
      const lines = [...run.live].flatMap(([zone, records]) => own(records).map((record) => liveLine(zone, record)));
      expect([...run.live.keys()].toSorted()).toEqual(run.zones);
      expect(lines.toSorted()).toEqual(run.kept.map(sourceLine).toSorted());
    });

    test("are imported whole, into a manifest that changes nothing", async () => {
      const folder = join(run.account.folder, "imported");
      const imported = exits(0, await runInProcess(run.account, ["import", folder, "--json"]));
      const events = eventsOf(imported);
      // Certificate authorities make and remove these, so import writes `ignore` for them.
      const lasting = run.kept.filter(({ name }) => !name.startsWith("_acme-challenge"));
      const sets = new Set(lasting.map(({ zone, name, type }) => `${type} ${name.toLowerCase()} in ${zone}`));
      expect(run.kept.length - lasting.length).toBe(known.challenges);
      const resources = run.zones.length + sets.size;
      expect(events.find(({ type }) => type === "imported")).toMatchObject({ resources, left_out: 0 });
      expect(events.find(({ type }) => type === "plan")).toMatchObject({ add: 0, change: 0, destroy: 0 });
    });

    test("are refused as they stand where they were adapted or left out, each with its place", async () => {
      const zones = new Set(run.zones);
      const asItStands = run.source.filter((record) => declare(record, zones).is !== "written");
      const folder = join(run.account.folder, "as-it-stands");
      writeManifestFolder(folder, run.zones, asItStands);
      const refused = await runInProcess(noAccount, ["validate", "-f", folder, "--json"]);
      const diagnostics = eventsOf(refused).filter(({ type }) => type === "diagnostic");
      expect(countBy(diagnostics, ({ code }) => String(code))).toEqual(known.diagnostics);
      expect(diagnostics.filter(({ at }) => (at as { line?: unknown } | undefined)?.line === undefined)).toEqual([]);
      expect(refused.status).toBe(asItStands.length > 0 ? 3 : 0);
    });
  });
}

interface Run {
  readonly account: Account;
  readonly source: readonly SourceRecord[];
  readonly kept: readonly SourceRecord[];
  readonly zones: readonly string[];
  readonly verdicts: Readonly<Record<string, number>>;
  readonly validated: Ran;
  readonly applied: Ran;
  readonly planned: Ran;
  readonly operations: readonly Operation[];
  readonly live: ReadonlyMap<string, readonly Item[]>;
}

/** Writes the manifests, validates, applies to an empty account with the built binary over HTTPS, and plans again; then reads back. */
async function moveZones(file: string): Promise<Run> {
  const source = readSource(file);
  const zones = [...new Set(source.map(({ zone }) => zone))].toSorted();
  const known = new Set(zones);
  const verdicts = source.map((record) => declare(record, known));
  const kept = verdicts.flatMap((verdict) => (verdict.is === "refused" ? [] : [verdict.record]));
  const account = await openAccount();
  const folder = join(account.folder, "zones");
  writeManifestFolder(folder, zones, kept);
  const validated = await runInProcess(noAccount, ["validate", "-f", folder, "--json"]);
  const applied = await account.hostform(["apply", "-f", folder, "--auto-approve", "--parallelism", "16"]);
  const operations = await readOperations(account);
  const planned = await runInProcess(account, ["plan", "-f", folder, "--detailed-exitcode"]);
  const live = await readAccount(account);
  const counted = countBy(verdicts, (verdict) =>
    verdict.is === "written" ? verdict.is : `${verdict.is}, ${verdict.reason}`,
  );
  const run = { account, source, kept, zones, verdicts: counted, validated, applied, planned, operations, live };
  process.stdout.write(summary(file, run));
  return run;
}

function summary(file: string, { source, kept, zones, verdicts, operations }: Run): string {
  const gets = operations.filter(({ method }) => method === "GET").length;
  const lines = [
    `${file}: ${source.length} records in ${zones.length} zones, ${kept.length} of them kept`,
    ...Object.entries(verdicts).map(([verdict, count]) => `${String(count).padStart(7)} ${verdict}`),
    `  calls: ${operations.length - gets} writes (least possible ${zones.length + kept.length}), ${gets} GETs`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The platform's own, SOA and apex NS, are not the manifest's. */
const own = (records: readonly Item[]) => records.filter(({ managed }) => managed !== true);

function countBy<T>(items: readonly T[], name: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[name(item)] = (counts[name(item)] ?? 0) + 1;
  return counts;
}
