import { expect, test } from "vitest";
import { exits } from "../support/run-hostform.ts";
import { killedStage } from "./killed-stage.ts";
import { likeness } from "./read-account.ts";

/**
 * The mail settings of a name go with its domain, and belong to the service of that name until it goes, too: of a plan that deletes
 * both, what remains after a kill takes along what the plan has shown to go.
 */
const { apply, applied, read, goTo } = killedStage({
  before: `version: 1
name: leaving
services: { a.example: { plan: WEB-M, datacenter: MAD1 } }
domains: { a.example: {} }
`,
  after: "version: 1\nname: leaving\n",
  flags: ["--allow-delete", "domain/a.example"],
});

test.each(["saved", "approved"])(
  "a plan that deletes a domain and the service of its name goes on after it was killed (%s)",
  async (way) => {
    const { args, seen } = await applied(way);
    const end = likeness(read());
    expect(seen.map(({ where }) => where.split(" ", 2).join(" "))).toContain("before DELETE");
    for (const moment of seen) {
      goTo(moment);
      exits(0, await apply(...args));
      expect(likeness(read()), moment.where).toEqual(end);
    }
  },
);
