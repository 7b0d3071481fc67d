import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { size } from "../proofs/size.ts";
import { openFront, type Front } from "../support/front.ts";
import { eventsOf, exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { openAdapter } from "./adapter.ts";
import { pairs, vendors, type VendorPair } from "./pairs.ts";
import { areThere, startStandIn, type StandIn } from "./stand-in.ts";

/** All stages with `npm run test:vendors`; else those that show that a pair can be driven at all. */
const isWhole = process.env["HOSTFORM_VENDORS"] === "1";

/** A pair of vendor and kind on a stand-in of its own, behind a front that can break its answers. */
interface Trial {
  readonly pair: VendorPair;
  readonly standIn: StandIn;
  readonly front: Front;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

async function openTrial(pair: VendorPair): Promise<Trial> {
  const vendor = vendors.find(({ name }) => name === pair.vendor);
  if (!vendor) throw new Error(`There is no vendor ${pair.vendor}`);
  const standIn = await startStandIn(vendor.name, vendor);
  const adapter = pair.adapter && (await openAdapter(vendor.name, standIn));
  const front = await openFront(adapter ?? standIn);
  const own = join(standIn.folder, "own-contract.yaml");
  if (vendor.own !== undefined) writeFileSync(own, `extends: ${vendor.name}\n${vendor.own}\n`);
  const named = vendor.own === undefined ? vendor.name : own;
  const contract = adapter ? `examples/adapter/${vendor.name}.yaml` : named;
  const close = async () => {
    await front.close();
    await adapter?.close();
    await standIn.close();
  };
  const flags = [...front.flags, "--contract", adapter ? resolve(contract) : contract];
  return { pair, standIn, front, flags, env: (adapter ?? standIn).env, close };
}

const head = "version: 1\nname: vendor\npolicy: { max_deletes: 100% }\n";

/** Runs hostform on a pair, and shows all that was asked where it ends otherwise than expected. */
async function run(trial: Trial, command: readonly string[], expected: number, who = "ours"): Promise<string> {
  const { pair, standIn, flags } = trial;
  const inventory = ["--inventory", join(standIn.folder, `${who}.json`)];
  const ran = await runInProcess({ flags, env: trial.env }, [...command, ...inventory], pair.env);
  const asked = (await standIn.log()).map(
    ({ method, path, status, body, answer }) =>
      `${method} ${path} ${JSON.stringify(body) ?? ""} -> ${status} ${JSON.stringify(answer)?.slice(0, 300)}`,
  );
  expect(ran.status, [command.join(" "), ran.stdout, ran.stderr, ...asked].join("\n")).toBe(expected);
  return ran.stdout;
}

const consentFor = ({ kind, consent = [`${kind}/*=1`] }: VendorPair) =>
  consent.flatMap((each) => ["--allow-delete", each]);

/** Applies a manifest, and sees that nothing is left to do. `planned`: the exit code of the plan before. */
async function converge(trial: Trial, text: string, planned = 2, flags: readonly string[] = []): Promise<string> {
  const file = trial.standIn.write("site.yaml", head + text);
  await run(trial, ["plan", "-f", file, "--detailed-exitcode", ...flags], planned);
  await run(trial, ["apply", "-f", file, "--auto-approve", ...flags], 0);
  return run(trial, ["plan", "-f", file, "--detailed-exitcode"], 0);
}

/** Another change is taken back by an undo plan. */
async function undo(trial: Trial, from: string, to: string): Promise<void> {
  const file = trial.standIn.write("site.yaml", head + to);
  const back = join(trial.standIn.folder, "undo.json");
  await run(trial, ["plan", "-f", file, "--undo-out", back], 0);
  await run(trial, ["apply", "-f", file, "--auto-approve", ...consentFor(trial.pair)], 0);
  await run(trial, ["apply", back, "--auto-approve", ...consentFor(trial.pair)], 0);
  const before = trial.standIn.write("site.yaml", head + from);
  await run(trial, ["plan", "-f", before, "--detailed-exitcode"], 0);
}

/** What someone else has changed is seen, and put right. */
async function drift(trial: Trial, ours: string, theirs: string): Promise<void> {
  const other = trial.standIn.write("other.yaml", head + theirs);
  await run(trial, ["apply", "-f", other, "--auto-approve", ...consentFor(trial.pair)], 0, "theirs");
  await converge(trial, ours, 2, consentFor(trial.pair));
}

/** An apply that is killed as soon as its first write has arrived is finished by the next. */
async function killed(trial: Trial, text: string): Promise<void> {
  const file = trial.standIn.write("site.yaml", head + text);
  let kill: () => void = () => undefined;
  trial.front.interfere(async (request, _response, pass) => {
    if (request.method === "GET") return false;
    await pass();
    kill();
    return true;
  });
  const inventory = ["--inventory", join(trial.standIn.folder, "ours.json")];
  const common = ["apply", "-f", file, "--auto-approve", ...inventory, ...trial.flags];
  const place = { env: { ...trial.env, ...trial.pair.env }, cwd: trial.standIn.folder };
  await runHostform([...common, ...consentFor(trial.pair)], {
    ...place,
    onStart: (signal) => {
      kill = () => signal("SIGKILL");
    },
  });
  trial.front.interfere(() => false);
  // Some of the deletions may be done already: what is left is allowed by its names.
  const plan = await runHostform(["plan", "-f", file, "--json", ...inventory, ...trial.flags], place);
  const left = eventsOf(plan).flatMap(({ type, address }) => (type === "refused" ? [String(address)] : []));
  exits(0, await runHostform([...common, ...left.flatMap((address) => ["--allow-delete", address])], place));
  await run(trial, ["plan", "-f", file, "--detailed-exitcode"], 0);
}

/** Nothing is written while a list cannot be read. */
async function unread(trial: Trial, text: string): Promise<void> {
  const file = trial.standIn.write("site.yaml", head + text);
  await trial.standIn.log();
  trial.front.interfere((request, response) => {
    if (request.method !== "GET") return false;
    response.writeHead(501).end("{}");
    return true;
  });
  await runInProcess({ flags: trial.flags, env: trial.env }, ["apply", "-f", file, "--auto-approve"], trial.pair.env);
  trial.front.interfere(() => false);
  expect((await trial.standIn.log()).filter(({ method }) => method !== "GET")).toEqual([]);
}

/** An object that the API cannot create is refused at its line before anything is written. */
async function refused(trial: Trial, text: string): Promise<void> {
  const file = trial.standIn.write("absent.yaml", head + text);
  await trial.standIn.log();
  const args = ["apply", "-f", file, "--auto-approve"];
  const ran = exits(3, await runInProcess({ flags: trial.flags, env: trial.env }, args));
  expect(ran.stderr).toMatch(/the API offers no creation of a [^]*absent\.yaml:\d+[^]*make it in the vendor's panel/u);
  expect((await trial.standIn.log()).filter(({ method }) => method !== "GET")).toEqual([]);
}

const page = "docs/vendors.md";
const table = /(?<=<!-- table -->\n)[^]*(?=<!-- \/table -->)/u;

/** The table of pairs: a stage that the API does not offer is a dash. */
function tableOfPairs(): string {
  const row = ({ vendor, kind, changed, gone, isThere, adapter }: VendorPair) => [
    vendor,
    kind,
    adapter ? "an adapter" : "a contract",
    isThere === true || (changed !== undefined && gone === undefined) ? "–" : "yes",
    changed === undefined ? "–" : "yes",
    gone === undefined ? "–" : "yes",
  ];
  const rows = [
    ["Vendor", "Kind", "By", "Create", "Change", "Delete"],
    ["---", "---", "---", "---", "---", "---"],
    ...pairs.map(row),
  ];
  return `\n${rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n\n`;
}

test("the page of vendors has each pair that is driven", () => {
  const text = readFileSync(page, "utf8");
  if (isWhole) writeFileSync(page, text.replace(table, tableOfPairs()));
  const cells = (each: string) =>
    each
      .replaceAll(/ *\| */gu, "|")
      .replaceAll(/-+/gu, "-")
      .trim();
  expect(cells(table.exec(isWhole ? readFileSync(page, "utf8") : text)?.[0] ?? "")).toBe(cells(tableOfPairs()));
});

test.each(readdirSync("examples/vendors"))("the example %s is valid under its contract", async (file) => {
  const { status, stdout, stderr } = await runInProcess(noAccount, ["validate", "-f", `examples/vendors/${file}`], {
    MAIL_PASSWORD: "Secret-of-anna-1",
  });
  expect(status, stdout + stderr).toBe(0);
});

describe.skipIf(!areThere)("with a contract file alone", () => {
  const short = pairs.filter(({ quick = false }) => quick);
  const driven = isWhole ? pairs : size.every(6, short);
  test.each(driven.map((pair) => [`${pair.vendor}: ${pair.kind}`, pair] as const))("%s", async (_name, pair) => {
    const trial = await openTrial(pair);
    onTestFinished(trial.close);
    const { made, changed, gone, absent, isThere = false } = pair;
    // Without a change, the deletion is what someone else does, and what is cut off.
    const other = changed ?? (isThere ? undefined : gone);
    if (absent !== undefined) await refused(trial, absent);
    if (isWhole && !isThere) await unread(trial, made);
    if (isWhole && !isThere && changed === undefined) await killed(trial, made);
    expect(await converge(trial, made, isThere || (isWhole && changed === undefined) ? 0 : 2)).toContain("No changes");
    if (other !== undefined && isWhole) {
      if (changed !== undefined) await undo(trial, made, changed);
      await drift(trial, made, other);
      await killed(trial, other);
    } else if (changed !== undefined) await converge(trial, changed, 2, consentFor(pair));
    if (gone !== undefined) await converge(trial, gone, isWhole && other === gone ? 0 : 2, consentFor(pair));
  });
});
