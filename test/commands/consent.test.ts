import { describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const account = accountForFile({
  seed: {
    domain: [{ name: "example.com", status: "active", expires_at: null }],
    mailbox: ["a", "b", "c", "d", "e", "f", "g's"].map((name) => ({ address: `${name}@example.com` })),
  },
});

const secrets = { PW: "correct horse battery" };
let files = 0;
const run = (command: string, manifest: string, ...flags: string[]) => {
  files += 1;
  const file = account.write(`${files}.yaml`, `version: 1\nname: consent\n${manifest}`);
  const all = command === "apply" ? ["--auto-approve", "--settle", "0", ...flags] : flags;
  return runInProcess(account, [command, "-f", file, ...all], secrets);
};
const writes = async () => (await account.writes()).map(({ method }) => method);
const remove = (...names: string[]) =>
  `removed: [${names.map((name) => `{ address: "mailbox/${name}@example.com", action: delete }`).join(", ")}]`;

test("--rotate sends a password again, once, and neither shows nor keeps it", async () => {
  const manifest =
    'domains: { example.com: {} }\nmail: { example.com: { mailboxes: { a: { password: "${env:PW}" } } } }';
  const before = (await writes()).length;
  const applied = exits(0, await run("apply", manifest, "--rotate", "mailbox/a@example.com"));
  expect(applied.stdout).toContain("password (sensitive) -> (sensitive)");
  expect(applied.stdout + applied.stderr).not.toContain(secrets.PW);
  expect((await writes()).slice(before)).toEqual(["PUT"]);
  expect((await run("plan", manifest)).stdout).toContain("No changes.");
});

describe("a refusal", () => {
  test("names every step, changes nothing, exits 6, and ends with a line that can be pasted", async () => {
    const before = (await writes()).length;
    const few = exits(6, await run("apply", remove("a", "g's")));
    expect(few.stdout).toContain("Refused: 2.");
    expect(few.stdout).toContain(
      String.raw`to allow all: --allow-delete mailbox/a@example.com --allow-delete 'mailbox/g'\''s@example.com'`,
    );
    const many = await run("plan", remove("a", "b", "c", "d", "e", "f"));
    expect(many.stdout).toContain("to allow all: --allow-delete 'mailbox/*=6'");
    expect(many.stdout).toContain(
      "✗ each of these 6 would be deleted (named under removed:); its kind is protected; its entry",
    );
    const events = await run("plan", remove("a", "b", "c", "d", "e", "f"), "--json");
    expect(events.stdout.match(/"summary":"mailbox\/.@example\.com would be deleted/gu)).toHaveLength(6);
    expect((await writes()).slice(before)).toEqual([]);
  });

  test("is over with that line, and one too few or too many is not taken for it", async () => {
    expect((await run("plan", remove("a", "b", "c", "d", "e", "f"), "--allow-delete", "mailbox/*=6")).status).toBe(0);
    for (const scope of ["Example.com=6", "mailbox/*@example.com=6"])
      expect((await run("plan", remove("a", "b", "c", "d", "e", "f"), "--allow-delete", scope)).status).toBe(0);
    const wrong = exits(6, await run("plan", remove("a", "b", "c", "d", "e"), "--allow-delete", "mailbox/*=6"));
    expect(wrong.stdout).toContain("the plan deletes 5 of this kind");
  });
});

describe("a flag that cannot be meant is a mistake", () => {
  test.each([
    ["a number of what is no name", ["--allow-delete", "mail box=3"], "is not the name of a service or domain"],
    ["a rotation of what has nothing to send", ["--rotate", "domain/example.com"], "can be sent again"],
    ["a rotation of what is not declared", ["--rotate", "mailbox/z@example.com"], "no manifest declares it"],
    ["a selection of nothing", ["--only", "cron/*"], "no declared or live resource has this address"],
  ])("%s", async (_, flags, expected) => {
    expect(exits(3, await run("plan", "domains: { example.com: {} }", ...flags)).stderr).toContain(expected);
  });
});

test("what is left out is counted and named, in text and as an event", async () => {
  const manifest = "domains: { example.com: {}, new.example: {}, other.example: {} }";
  const text = await run("plan", manifest, "--only", "domain/new.*");
  expect(text.stdout).toContain("Not selected by the flags given: 1 (domain/other.example)");
  const events = await run("plan", manifest, "--except", "domain/new.*", "--json");
  expect(events.stdout).toContain('{"type":"left_out","addresses":["domain/new.example"]}');
});
