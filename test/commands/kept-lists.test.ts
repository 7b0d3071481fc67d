import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { openFront, type Front } from "../support/front.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";

const zone = "a.example";
const many = 110;
let account: Account;
let front: Front;
let zoneId: string;
let base: string;

beforeAll(async () => {
  const record = (n: number) => ({
    zone: "many.example",
    name: `h${n}`,
    type: "A",
    content: "192.0.2.1",
    priority: null,
  });
  account = await openAccount({
    seed: {
      dns_zone: [{ name: zone }, { name: "many.example" }],
      dns_record: Array.from({ length: many }, (_, n) => ({ ...record(n), ttl: 3600, disabled: false })),
    },
  });
  front = await openFront(account);
  const { body } = await account.byHand("GET", "/v2026/dns/zones");
  zoneId = (body["data"] as { id: string; name: string }[]).find(({ name }) => name === zone)?.id ?? "";
  base = join(account.folder, "..", "cache");
});
afterAll(async () => {
  await front.close();
  await account.close();
});
beforeEach(() => {
  front.interfere(() => false);
  rmSync(base, { recursive: true, force: true });
});

const runner = { user: "tester", host: "here", pid: process.pid, processMark: () => "", uid: process.getuid?.() };

function run(args: readonly string[], flags = front.flags) {
  return runInProcess({ flags, env: account.env }, args, { XDG_CACHE_HOME: base }, { runner });
}

async function planOf(args: readonly string[]) {
  const events = eventsOf(await run(["plan", "--json", ...args]));
  const steps = events.filter(({ type }) => type === "planned");
  // Lists that are asked for twice, because a plan deletes something, are other requests for the same plan.
  const others = events.filter(({ type }) => type !== "planned").map((event) => ({ ...event, reads: 0 }));
  return { steps, others };
}

const isDeletion = (step: Record<string, unknown>) => /"delete"|DELETE/u.test(JSON.stringify(step));
const addressesOf = (steps: readonly Record<string, unknown>[]) => steps.map(({ address }) => String(address));

const kept = () => readdirSync(join(base, "hostform")).filter((name) => name.startsWith("list-"));

test("the second plan takes each unchanged list from the cache after a 304 for each page", async () => {
  const lines = Array.from({ length: many }, (_, n) => `h${n}: { A: 192.0.2.1 }`).join(", ");
  const manifest = account.write(
    "many.yaml",
    `version: 1\nname: many\ndns: { many.example: { records: { ${lines} } } }\n`,
  );
  const asked = async (flags: readonly string[] = []) => {
    const before = (await account.operations()).length;
    const { stdout } = await run(["plan", "-f", manifest, ...flags], account.flags);
    const since = (await account.operations()).slice(before).filter(({ path }) => path.includes("/records"));
    return { stdout, statuses: since.map(({ status }) => status) };
  };
  const first = await asked();
  const second = await asked();
  const third = await asked(["--no-cache"]);
  expect(first.statuses).toEqual([200, 200, 200]);
  expect(second.statuses).toEqual([304, 304, 304]);
  expect(third.statuses).toEqual([200, 200, 200]);
  expect([second.stdout, third.stdout]).toEqual([first.stdout, first.stdout]);
  const bytes = readdirSync(join(base, "hostform")).map((name) => readFileSync(join(base, "hostform", name), "latin1"));
  expect(bytes.join("\n")).not.toContain(account.env["HOSTFORM_API_KEY"]);
});

test("a list that changed on a page is read, and kept as it is now", async () => {
  const manifest = account.write(
    "drift.yaml",
    `version: 1\nname: drift\ndns: { ${zone}: { records: { w: { A: 192.0.2.1 } } } }\n`,
  );
  await planOf(["-f", manifest]);
  const { body } = await account.byHand("POST", `/v2026/dns/zones/${zoneId}/records`, recordOf("w", "192.0.2.1"));
  expect((await planOf(["-f", manifest])).steps).toEqual([]);
  await account.byHand("DELETE", `/v2026/dns/zones/${zoneId}/records/${(body["data"] as { id: string }).id}`);
  expect((await planOf(["-f", manifest])).steps).toHaveLength(1);
});

const names = ["w", "x", "y"];
const contents = ["192.0.2.1", "192.0.2.2"];
const recordOf = (name: string, content: string) => ({ name, type: "A", content, ttl: 3600, priority: null });
const records = fc.dictionary(fc.constantFrom(...names), fc.subarray(contents, { minLength: 1 }), { maxKeys: 3 });
/** Answers to a request for a page with an ETag: all lies, since nobody looks whether it changed. */
const lies = fc.constantFrom("same", "none", "weak", "other");

async function putByHand(wanted: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const path = `/v2026/dns/zones/${zoneId}/records`;
  const { body } = await account.byHand("GET", `${path}?per_page=100`);
  for (const { id, managed } of body["data"] as { id: string; managed: boolean }[])
    if (!managed) await account.byHand("DELETE", `${path}/${id}`);
  for (const [name, each] of Object.entries(wanted))
    for (const content of each) await account.byHand("POST", path, recordOf(name, content));
}

/** A front that never looks whether a page is still what it was. */
function lie(how: string): void {
  front.interfere(({ headers }, response) => {
    const etag = headers["if-none-match"];
    if (etag === undefined) return false;
    const told = { same: etag, none: undefined, weak: `W/${etag}`, other: '"other"' }[how];
    response.writeHead(304, told === undefined ? {} : { ETag: told }).end();
    return true;
  });
}

test("a server that answers 304 whatever has changed causes no deletion, and hides none that is ours to do", async () => {
  const drawn = fc.record({
    first: records,
    live: records,
    second: records,
    exclusive: fc.boolean(),
    removed: fc.boolean(),
    how: lies,
  });
  let round = 0;
  let applied = 0;
  const property = fc.asyncProperty(drawn, async ({ first, live, second, exclusive, removed, how }) => {
    round += 1;
    rmSync(base, { recursive: true, force: true });
    front.interfere(() => false);
    await putByHand({});
    const inventory = ["--inventory", join(account.folder, `inventory-${round}.json`)];
    const write = (wanted: typeof first, more = "") => {
      const sets = Object.fromEntries(Object.entries(wanted).map(([name, each]) => [name, { A: each }]));
      const block = JSON.stringify({ [zone]: { exclusive, records: sets } });
      return account.write("drawn.yaml", `version: 1\nname: drawn\ndns: ${block}\n${more}`);
    };
    const apply = ["apply", "--auto-approve", "--settle", "0"];
    await run([...apply, "-f", write(first), ...inventory]);
    await planOf(["-f", write(first), ...inventory]);
    await putByHand(live);
    lie(how);
    const gone = removed ? names.filter((name) => !Object.hasOwn(second, name)) : [];
    const entries = gone.map((name) => `  - { address: dns_record/${zone}/${name}/A, action: delete }\n`).join("");
    const args = ["-f", write(second, entries === "" ? "" : `removed:\n${entries}`), ...inventory];
    const [lied, truth] = [await planOf(args), await planOf([...args, "--no-cache"])];
    if (how !== "same" || lied.steps.some(isDeletion)) expect(lied).toEqual(truth);
    const going = ({ steps }: typeof lied) =>
      addressesOf(steps.filter(isDeletion)).filter((address) => !Object.hasOwn(second, address.split("/")[2] ?? ""));
    expect(going(lied)).toEqual(going(truth));
    const { status } = await run([...apply, ...args]);
    const after = await planOf([...args, "--no-cache"]);
    if (status === 0) expect(after.steps).toEqual([]);
    // From the first write on, nothing that was kept counts.
    if (status === 0 && truth.steps.length > 0) expect(await planOf(args)).toEqual(after);
    applied += Number(status === 0 && truth.steps.length > 0);
  });
  const [one] = contents as [string];
  const ours = { first: { w: [one], x: [one] }, live: { w: [one], x: [one] }, second: { w: [one] } };
  const examples = [{ ...ours, exclusive: false, removed: false, how: "same" }] as const;
  await fc.assert(property, { numRuns: size.draws(12), examples: examples.map((each) => [each]) });
  expect(applied).toBeGreaterThan(0);
});

test("a list whose pages are told in headers, of which its ETags say nothing, is read anew", async () => {
  const contract = account.write(
    "linked.yaml",
    "contract: 1\nextends: v2026\nname: linked\npaging: { total: null, actual_size: null, page: null, style: link, size: per_page, total_header: X-Total, max_size: 5 }\n",
  );
  front.interfere(async ({ method, headers, url = "" }, response, pass) => {
    if (method !== "GET") return false;
    const { status, text } = await pass();
    const { data, meta } = JSON.parse(text) as {
      data: { type: string }[];
      meta: { current_page: number; per_page: number; total: number };
    };
    // The serial of the SOA would change the page.
    const body = JSON.stringify({ data: data.filter(({ type }) => type !== "SOA") });
    const etag = `"${createHash("sha256").update(body).digest("hex")}"`;
    const next = `${url.replace(/[?&]page=\d+/u, "")}&page=${meta.current_page + 1}`;
    const link = meta.current_page * meta.per_page < meta.total ? { Link: `<${next}>; rel="next"` } : {};
    const isSame = headers["if-none-match"] === etag;
    response
      .writeHead(isSame ? 304 : status, {
        ETag: etag,
        "X-Total": meta.total - Number(url.includes("/records")),
        ...link,
      })
      .end(isSame ? "" : body);
    return true;
  });
  const manifest = account.write(
    "linked-records.yaml",
    `version: 1\nname: linked\ndns: { ${zone}: { records: { w: { A: 192.0.2.1 }, x: { A: 192.0.2.1 }, y: { A: 192.0.2.1 } } } }\n`,
  );
  const args = ["-f", manifest, "--contract", contract];
  await putByHand({ w: ["192.0.2.1"], x: ["192.0.2.1"] });
  const before = addressesOf((await planOf(args)).steps);
  await account.byHand("POST", `/v2026/dns/zones/${zoneId}/records`, recordOf("y", "192.0.2.1"));
  expect([before, addressesOf((await planOf(args)).steps)]).toEqual([[`dns_record/${zone}/y/A`], []]);
});

test("a list whose answer holds a secret is not kept", async () => {
  const manifest = account.write(
    "secret.yaml",
    `version: 1\nname: secret\ndns: { ${zone}: { records: { w: { A: 192.0.2.1 } } } }\n`,
  );
  await putByHand({ w: ["192.0.2.1"] });
  for (const more of [{ api_token: "t" }, { note: account.env["HOSTFORM_API_KEY"] }, { tsig: { secret_key: "k" } }]) {
    front.interfere(async ({ url = "" }, response, pass) => {
      if (!url.includes("/records")) return false;
      const { status, headers, text } = await pass();
      const { data, ...rest } = JSON.parse(text) as { data: object[] };
      response
        .writeHead(status, headers)
        .end(JSON.stringify({ ...rest, data: data.map((each) => ({ ...each, ...more })) }));
      return true;
    });
    await planOf(["-f", manifest]);
    expect(kept()).toEqual([]);
  }
  front.interfere(() => false);
  await planOf(["-f", manifest]);
  expect(kept()).toHaveLength(1);
});
