import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openMoments } from "../proofs/moments.ts";
import { openReader } from "../proofs/read-account.ts";
import { openFront } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { shapeForTest } from "../support/shaped-scenario.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const zone = (www: string, rest = "") =>
  `version: 1\nname: shaped\ndns: { example.com: { records: { www: ${www}, other: { A: 192.0.2.9 } } } }\n${rest}`;
const removed = "removed: [{ address: dns_record/example.com/www/A, action: delete }]\n";

/** Shapes of APIs by how they write a set: each record by itself, a set by its name or its id, and the whole zone. */
const shapes = ["bare", "nested", "sets", "stamped", "hetzner-cloud", "whole"] as const;

/** An account in a shape until the test ends, how to apply a manifest to it, and what is there at `www`. */
async function stageForTest(shape: (typeof shapes)[number]) {
  const account = await shapeForTest(shape);
  const front = await openFront(account);
  const clock = virtualClock();
  const [inventory, journal] = [join(account.folder, "inventory"), join(account.folder, "journal")] as const;
  const moments = openMoments(account, front, [inventory, journal]);
  const reader = openReader(account);
  onTestFinished(async () => {
    reader.close();
    moments.close();
    await front.close();
  });
  const flags = [...front.flags, "--contract", account.flags[account.flags.indexOf("--contract") + 1] ?? ""];
  const apply = (manifest: string) => {
    const files = ["-f", account.write("m.yaml", manifest), "--inventory", inventory, "--journal", journal];
    return runInProcess({ flags, env: account.env }, ["apply", "--auto-approve", ...files], {}, clock);
  };
  const atWww = () => {
    const records = (reader.read()["dns_record"] ?? []).filter(({ name }) => String(name).startsWith("www"));
    return records.map(({ type, content, ttl }) => `${String(type)} ${String(content)} ${String(ttl)}`).toSorted();
  };
  return { front, apply, atWww, moments };
}

const two = zone("{ A: { ttl: 600, values: [192.0.2.1, 192.0.2.2] } }");
const alias = zone("{ CNAME: other.example.com. }", removed);

test.each(shapes)(
  "a set that was deleted for a successor that is refused comes back whole, with its TTL: %s",
  async (shape) => {
    const { front, apply, atWww } = await stageForTest(shape);
    exits(0, await apply(two));
    const before = atWww();
    expect(before).toEqual(["A 192.0.2.1 600", "A 192.0.2.2 600"]);
    front.interfere((request, response, _pass, body) => {
      const isRefused = request.method !== "GET" && body.includes("CNAME");
      if (isRefused) answerJson(response, 422, { error: { code: "invalid", message: "No aliases here" } });
      return isRefused;
    });
    const refused = exits(5, await apply(alias));
    expect(refused.stdout).toMatch(/put back.*dns_record\/example\.com\/www\/A/u);
    expect(atWww()).toEqual(before);
    front.interfere(() => false);
    exits(0, await apply(alias));
    expect(atWww()).toEqual(["CNAME other.example.com. 3600"]);
  },
);

test.each(shapes)(
  "a set that a killed apply has deleted comes back whole where its successor is not declared any more: %s",
  async (shape) => {
    const { apply, atWww, moments } = await stageForTest(shape);
    exits(0, await apply(two));
    const before = atWww();
    const seen = moments.watch();
    exits(0, await apply(alias));
    for (const moment of seen.slice()) {
      moments.goTo(moment);
      exits(0, await apply(two));
      expect(atWww(), moment.where).toEqual(before);
    }
  },
);
