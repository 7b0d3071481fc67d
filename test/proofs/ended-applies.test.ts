import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerJson } from "../support/https-server.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { openMoments } from "./moments.ts";

/** An apply that failed in part, and then one that was killed when its last write was done: the next one finds nothing to change. */
const account = accountForFile();
const front = frontForFile(account);
const place = (name: string) => join(account.folder, name);
let moments: ReturnType<typeof openMoments>;
beforeAll(() => {
  moments = openMoments(account, front, [place("journal"), place("inventory")]);
});
afterAll(() => moments.close());

const apply = (domains: string, to: string, ...flags: readonly string[]) => {
  const mail = `mail: { a.example: { aliases: { sales: { destinations: [${to}@b.example] } } } }`;
  const file = account.write("m.yaml", `version: 1\nname: ended\ndomains: { a.example: {}${domains} }\n${mail}\n`);
  const kept = ["--journal", place("journal"), "--inventory", place("inventory")];
  return runInProcess(front, ["apply", "-f", file, "--auto-approve", ...kept, ...flags]);
};

test("an apply that finds nothing to change ends the killed one before it, so that a purchase is not refused for that", async () => {
  exits(0, await apply("", "one"));
  front.interfere(({ method }, response) => method === "PUT" && answerJson(response, 422, { message: "no" }));
  exits(5, await apply("", "two"));
  const seen = moments.watch();
  exits(0, await apply("", "two"));
  const last = seen.at(-1);
  if (!last) throw new Error("it writes nothing");
  moments.goTo(last);
  front.interfere(() => false);
  expect(exits(0, await apply("", "two")).stdout).toContain("No changes");
  expect(existsSync(place("journal"))).toBe(false);
  const inventory = JSON.parse(readFileSync(place("inventory"), "utf8")) as object;
  expect(Object.keys(inventory)).not.toContain("unreached");
  expect(Object.keys(inventory)).not.toContain("running");
  exits(0, await apply(", new.example: { register: true }", "two", "--allow-purchase", "domain/new.example"));
});

test("an apply of some addresses that finds nothing to change writes nothing, though it leaves out what was not reached", async () => {
  front.interfere(() => false);
  const apply = async (to: string, ...flags: readonly string[]) => {
    const aliases = ["sales", "info"].map((name) => `${name}: { destinations: [${to}@c.example] }`).join(", ");
    const mail = `mail: { some.example: { aliases: { ${aliases} } } }`;
    const file = account.write("m.yaml", `version: 1\nname: some\ndomains: { some.example: {} }\n${mail}\n`);
    return runInProcess(front, ["apply", "-f", file, "--auto-approve", "--inventory", place("some"), ...flags]);
  };
  const kept = () => readFileSync(place("some"), "utf8");
  await account.byHand("POST", "/v2026/domains", { name: "some.example" });
  exits(0, await apply("one"));
  front.interfere(({ method }, response) => method === "PUT" && answerJson(response, 422, { message: "no" }));
  exits(5, await apply("two"));
  front.interfere(() => false);
  const only = ["--only", "mail_alias/sales@some.example"];
  exits(0, await apply("two", ...only));
  const first = kept();
  expect(first).toContain("unreached");
  expect(exits(0, await apply("two", ...only)).stdout).toContain("No changes");
  expect(kept()).toBe(first);
  exits(0, await apply("two"));
  expect(kept()).not.toContain("unreached");
});

test("an apply that only sends the request that a killed one has left due ends the killed one", async () => {
  const after = "kinds: { mail_alias: { after: { method: POST, path: /mail/refresh } } }";
  const contract = account.write("after.yaml", `contract: 1\nextends: v2026\nname: after\n${after}\n`);
  const refreshed = { isDone: false, answer: { status: 200, headers: {}, text: "{}" } };
  const watch = () => moments.watch((method) => (method === "POST" ? refreshed : undefined));
  front.interfere(() => false);
  rmSync(place("inventory"), { force: true });
  exits(0, await apply("", "two"));
  rmSync(place("inventory"));
  const seen = watch();
  exits(0, await apply("", "three", "--contract", contract));
  const last = seen.find(({ where }) => where.startsWith("before POST /v2026/mail/refresh"));
  if (!last) throw new Error("it refreshes nothing");
  moments.goTo(last);
  const again = watch();
  expect(existsSync(place("journal"))).toBe(true);
  exits(0, await apply("", "three", "--contract", contract));
  expect(again.map(({ where }) => where.split(" ")[2])).toEqual(["/v2026/mail/refresh", "/v2026/mail/refresh"]);
  expect(existsSync(place("journal"))).toBe(false);
});
