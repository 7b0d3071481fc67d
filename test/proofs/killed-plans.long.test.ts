import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exits } from "../support/run-hostform.ts";
import { killedStage } from "./killed-stage.ts";
import { likeness } from "./read-account.ts";
import { size } from "./size.ts";

/**
 * A plan makes a service anew. What the server makes along with a service goes for a while, and comes back with values of the server, until
 * the plan has written those of before: the apply of that plan, which was killed, is not somebody who has moved them.
 */
const manifest = (datacenter: string, settings = "") => `version: 1
name: moved
services: { a.example: { plan: WEB-M, datacenter: ${datacenter}${settings} } }
mail: { a.example: { settings: { dkim: { enabled: true } } } }
`;
const settings = ', settings: { backups: false, php_version: "8.2" }';
const away = { autoresponder: { enabled: true, subject: "Away", message: "Bye" }, dkim: { enabled: true } };
const { account, place, run, apply, applied, read, watch, goTo } = killedStage({
  before: manifest("MAD1", settings),
  // The undo deletes the domain, to which the settings of its mail belong as well.
  after: `${manifest("BCN1")}domains: { a.example: { auto_renew: true } }\n`,
  meddle: ({ byHand }) => byHand("PUT", "/v2026/mail/settings/a.example", { domain: "a.example", ...away }),
});
const state = () => likeness(read());

test.each(["saved", "undo", "approved"])(
  "a plan that makes a service anew goes on after it was killed, and after its rest was killed, too (%s)",
  async (way) => {
    const { args, seen } = await applied(way);
    const end = state();
    expect(JSON.stringify(end)).toContain("Bye");
    for (const moment of size.every(3, seen)) {
      goTo(moment);
      const second = watch();
      exits(0, await apply(...args));
      expect(state(), moment.where).toEqual(end);
      expect(existsSync(place("journal")), moment.where).toBe(false);
      for (const again of size.every(6, [...second])) {
        goTo(again);
        exits(0, await apply(...args));
        expect(state(), `${moment.where}, then ${again.where}`).toEqual(end);
      }
    }
  },
);

test("an undo that was killed goes on where it has deleted a service to make it anew, and the domain for good", async () => {
  const { args, seen } = await applied("undo");
  const end = state();
  const moment = seen.find(({ where }) => where.startsWith("after DELETE /v2026/services"));
  if (!moment) throw new Error("it deletes no service");
  goTo(moment);
  // Steps run side by side: the deletion of the domain, which waits for nothing, may be done by then.
  const [domain] = read()["domain"] ?? [];
  expect((await account.byHand("DELETE", `/v2026/domains/${String(domain?.["id"])}`)).status).toBe(204);
  const second = watch();
  exits(0, await apply(...args));
  for (const again of second.slice()) {
    goTo(again);
    exits(0, await apply(...args));
    expect(state(), again.where).toEqual(end);
  }
});

test("an undo that was killed does not make ours what it only puts back for somebody else", async () => {
  goTo();
  const alias = { address: "by@a.example", destinations: ["z@example.net"] };
  expect((await account.byHand("POST", "/v2026/mail/aliases", alias)).status).toBe(201);
  const removed = "removed: [{ address: mail_alias/by@a.example, action: delete }]\n";
  const file = account.write("r.yaml", manifest("MAD1", settings) + removed);
  const outs = ["--out", place("saved2"), "--undo-out", place("undo2")];
  exits(0, await run("plan", "-f", file, ...outs, "--allow-delete", "mail_alias/by@a.example"));
  exits(0, await apply(place("saved2"), "--auto-approve"));
  const ours = () => (JSON.parse(readFileSync(place("inventory"), "utf8")) as { addresses: unknown }).addresses;
  const seen = watch();
  exits(0, await apply(place("undo2"), "--auto-approve"));
  const end = [state(), ours()];
  expect(ours()).not.toContain("mail_alias/by@a.example");
  for (const moment of seen.slice()) {
    goTo(moment);
    exits(0, await apply(place("undo2"), "--auto-approve"));
    expect([state(), ours()], moment.where).toEqual(end);
  }
});
