import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { type Moment, openMoments } from "./moments.ts";
import { likeness, openReader } from "./read-account.ts";
import { size } from "./size.ts";

/**
 * A plan makes a service anew. What the server makes along with a service goes for a while, and comes back with values of the server, until
 * the plan has written those of before: the apply of that plan, which was killed, is not somebody who has moved them.
 */
const clock = virtualClock();
const account = accountForFile({}, clock.now);
const front = frontForFile(account);
let moments: ReturnType<typeof openMoments>;
let reader: ReturnType<typeof openReader>;
let start: Moment;
/** The arguments of each way to apply the plan, or its undo. */
const ways: Record<string, readonly string[]> = {};

const place = (name: string) => join(account.folder, name);
const run = (...args: string[]) => runInProcess(front, [...args, "--inventory", place("inventory")], {}, clock);
const apply = (...args: string[]) =>
  run("apply", ...args, "--json", "--journal", place("journal"), "--parallelism", "1");
const state = () => likeness(reader.read());

const manifest = (datacenter: string, settings = "") => `version: 1
name: moved
services: { a.example: { plan: WEB-M, datacenter: ${datacenter}${settings} } }
mail: { a.example: { settings: { dkim: { enabled: true } } } }
`;

const consent = ["--allow-delete", "service/a.example"];

beforeAll(async () => {
  reader = openReader(account);
  const files = [place("journal"), place("inventory")];
  moments = openMoments(account, front, files);
  const file = account.write("m.yaml", manifest("MAD1", ', settings: { backups: false, php_version: "8.2" }'));
  exits(0, await apply("-f", file, "--auto-approve"));
  const byHand = { autoresponder: { enabled: true, subject: "Away", message: "Bye" }, dkim: { enabled: true } };
  await account.byHand("PUT", "/v2026/mail/settings/a.example", { domain: "a.example", ...byHand });
  account.write("m.yaml", manifest("BCN1"));
  const outs = ["--out", place("saved"), "--undo-out", place("undo")];
  const planned = exits(0, await run("plan", "-f", file, "--json", ...outs, ...consent));
  const hash = String(eventsOf(planned).find(({ type }) => type === "plan")?.["hash"]);
  files.push(join(".hostform", `approved-${hash.replace("sha256:", "").slice(0, 32)}.json`));
  Object.assign(ways, {
    saved: [place("saved"), "--auto-approve"],
    undo: [place("undo"), "--auto-approve"],
    approved: ["-f", file, "--approve", hash],
  });
  start = moments.now();
});
afterAll(() => {
  reader.close();
  moments.close();
});

test.each(["saved", "undo", "approved"])(
  "a plan that makes a service anew goes on after it was killed, and after its rest was killed, too (%s)",
  async (name) => {
    const args = [...(ways[name] ?? []), ...consent];
    moments.goTo(start);
    if (name === "undo") exits(0, await apply(...(ways["saved"] ?? [])));
    const seen = moments.watch();
    exits(0, await apply(...args));
    const end = state();
    expect(JSON.stringify(end)).toContain("Bye");
    for (const moment of size.every(3, [...seen])) {
      moments.goTo(moment);
      const second = moments.watch();
      exits(0, await apply(...args));
      expect(state(), moment.where).toEqual(end);
      expect(existsSync(place("journal")), moment.where).toBe(false);
      for (const again of size.every(6, [...second])) {
        moments.goTo(again);
        exits(0, await apply(...args));
        expect(state(), `${moment.where}, then ${again.where}`).toEqual(end);
      }
    }
  },
);

test("an undo that was killed does not make ours what it only puts back for somebody else", async () => {
  moments.goTo(start);
  const alias = { address: "by@a.example", destinations: ["z@example.net"] };
  expect((await account.byHand("POST", "/v2026/mail/aliases", alias)).status).toBe(201);
  const removed = "removed: [{ address: mail_alias/by@a.example, action: delete }]\n";
  const settings = ', settings: { backups: false, php_version: "8.2" }';
  const file = account.write("r.yaml", manifest("MAD1", settings) + removed);
  const outs = ["--out", place("saved2"), "--undo-out", place("undo2")];
  exits(0, await run("plan", "-f", file, ...outs, "--allow-delete", "mail_alias/by@a.example"));
  exits(0, await apply(place("saved2"), "--auto-approve"));
  const ours = () => (JSON.parse(readFileSync(place("inventory"), "utf8")) as { addresses: unknown }).addresses;
  const seen = moments.watch();
  exits(0, await apply(place("undo2"), "--auto-approve"));
  const end = [state(), ours()];
  expect(ours()).not.toContain("mail_alias/by@a.example");
  for (const moment of seen.slice()) {
    moments.goTo(moment);
    exits(0, await apply(place("undo2"), "--auto-approve"));
    expect([state(), ours()], moment.where).toEqual(end);
  }
});
