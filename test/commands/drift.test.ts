import { describe, expect, test } from "vitest";
import { eventsOf, type Ran } from "../support/run-hostform.ts";
import { manifest, must, ownedRepository } from "./owned-repository.ts";

/** `hostform drift`: what was changed by hand since the last apply, and nothing else. */
const { account, repository, git, commit, run, apply, applied, records, makeByHand, deleteByHand } = ownedRepository();

const drift = (...flags: string[]) => run("drift", ...flags);

const drifted = async (...flags: string[]) => {
  const ran = await drift("--json", ...flags);
  const items = eventsOf(ran).filter(({ type }) => type === "drifted");
  return { status: ran.status, items: items.map(({ drift: is, address }) => `${String(is)} ${String(address)}`) };
};

const a = "dns_record/example.com/a/TXT";
const b = "dns_record/example.com/b/TXT";

async function changeByHand(name: string, content: string): Promise<void> {
  const zones = (await account.byHand("GET", "/v2026/dns/zones")).body["data"] as { id: string }[];
  const path = `/v2026/dns/zones/${zones[0]?.id}/records`;
  const { body } = await account.byHand("GET", `${path}?per_page=100`);
  const found = (body["data"] as Record<string, unknown>[]).find((record) => record["name"] === name);
  await must(200, account.byHand("PUT", `${path}/${String(found?.["id"])}`, record(found, content)));
}

/** A whole record with another content, as a PUT takes it. */
const record = ({ name, type, ttl }: Record<string, unknown> = {}, content: string) => ({ name, type, ttl, content });

const fail = (ran: Ran) => ran.stdout + ran.stderr;

test("an account as it was applied has no drift", async () => {
  commit(manifest("a"));
  await applied();
  expect(await drifted()).toEqual({ status: 0, items: [] });
  expect((await drift()).stdout).toContain("No drift.");
});

test("a commit that waits to be applied does not count; what was changed by hand does, and only that", async () => {
  commit(manifest("a", "b"));
  await applied();
  commit(manifest("a", "c").replace("a: { TXT: here }", "a: { TXT: there }"));
  expect(await drifted()).toEqual({ status: 0, items: [] });
  await changeByHand("b", "by hand");
  expect(await drifted()).toEqual({ status: 2, items: [`differs ${b}`] });
  await deleteByHand("b");
  expect(await drifted()).toEqual({ status: 2, items: [`gone ${b}`] });
});

test("each field is shown as the last apply left it and as it is now, and only reads are sent", async () => {
  commit(manifest("a"));
  await applied();
  const { length: before } = await account.operations();
  await changeByHand("a", "by hand");
  const ran = await drift();
  expect(ran, fail(ran)).toMatchObject({ status: 2 });
  expect(ran.stdout).toMatch(/~ dns_record\/example\.com\/a\/TXT \([^\n]*hosting\.yaml:3\) differs/u);
  expect(ran.stdout).toContain("here");
  expect(ran.stdout).toContain("by hand");
  const sent = (await account.operations()).slice(before);
  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent.map(({ method }) => method))).toEqual(new Set(["GET"]));
});

test("what nobody manages is drift only where it is asked for", async () => {
  commit(manifest("a"));
  await applied();
  await makeByHand("z");
  expect(await drifted()).toEqual({ status: 0, items: [] });
  expect(await drifted("--unmanaged")).toEqual({ status: 2, items: ["appeared dns_record/example.com/z/TXT"] });
});

test("what is tolerated does not count, as an address or field by field", async () => {
  commit(manifest("a"));
  await applied();
  await changeByHand("a", "by hand");
  for (const pattern of [a, "dns_record/example.com/*", `${a}.value`])
    expect((await drifted("--tolerate", pattern)).status, pattern).toBe(0);
  expect((await drifted("--tolerate", `${a}.ttl`)).status).toBe(2);
});

describe("after an apply of a part", () => {
  test("what that apply left out does not count", async () => {
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a", "b").replaceAll("here", "there"));
    await applied("--only", a);
    expect(await drifted()).toEqual({ status: 0, items: [] });
    await changeByHand("b", "by hand");
    expect(await drifted()).toEqual({ status: 2, items: [`differs ${b}`] });
  });
});

describe("apply --only-drift", () => {
  test("takes back what was changed by hand, and leaves the commit that waits", async () => {
    commit(manifest("a", "b"));
    await applied();
    const waiting = commit(manifest("a", "c").replace("a: { TXT: here }", "a: { TXT: there }"));
    await deleteByHand("b");
    expect((await run("plan", "--only-drift")).stdout).toContain(`+ ${b}`);
    await applied("--only-drift");
    expect(await records()).toEqual(["a", "b"]);
    expect(await drifted()).toEqual({ status: 0, items: [] });
    expect((await run("plan")).stdout).toContain("there");
    expect(git("rev-parse", "HEAD").trim()).toBe(waiting);
  });

  test("of a saved plan leaves the commit that waits, too", async () => {
    commit(manifest("a", "b"));
    await applied();
    commit(manifest("a", "b", "c"));
    await deleteByHand("b");
    const file = `${repository.folder}/plan.json`;
    expect((await run("plan", "--only-drift", "--out", file)).status).toBe(0);
    await applied("--only-drift");
    expect(await drifted()).toEqual({ status: 0, items: [] });
    expect(await records()).toEqual(["a", "b"]);
  });

  test("changes nothing where there is no drift", async () => {
    commit(manifest("a"));
    await applied();
    commit(manifest("a", "b"));
    const ran = await apply("--only-drift");
    expect(ran, fail(ran)).toMatchObject({ status: 0 });
    expect(ran.stdout).toContain("No drift.");
    expect(await records()).toEqual(["a"]);
  });
});

test("before the first apply, and after one of uncommitted changes, drift is not known", async () => {
  commit(manifest("a"));
  const never = await drift();
  expect(never, fail(never)).toMatchObject({ status: 6 });
  expect(never.stderr).toContain("Nothing was applied from this manifest so far");
});
