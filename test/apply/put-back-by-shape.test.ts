import { join } from "node:path";
import { expect, test } from "vitest";
import { openReader } from "../proofs/read-account.ts";
import { openFront } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { withShape } from "../support/shaped-scenario.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const zone = (www: string, rest = "") =>
  `version: 1\nname: shaped\ndns: { example.com: { records: { www: ${www}, other: { A: 192.0.2.9 } } } }\n${rest}`;
const removed = "removed: [{ address: dns_record/example.com/www/A, action: delete }]\n";

/** Shapes of APIs by how they write a set: each record by itself, a set by its name or its id, and the whole zone. */
const shapes = ["bare", "nested", "sets", "stamped", "hetzner-cloud", "whole"] as const;

test.each(shapes)(
  "a set that was deleted for a successor that is refused comes back whole, with its TTL: %s",
  (shape) =>
    withShape({}, shape, async (account) => {
      const front = await openFront(account);
      const clock = virtualClock();
      const flags = [...front.flags, "--contract", account.flags[account.flags.indexOf("--contract") + 1] ?? ""];
      const apply = (manifest: string) => {
        const files = ["-f", account.write("m.yaml", manifest), "--inventory", join(account.folder, "inventory")];
        return runInProcess({ flags, env: account.env }, ["apply", "--auto-approve", ...files], {}, clock);
      };
      const reader = openReader(account);
      const atWww = () => {
        const records = (reader.read()["dns_record"] ?? []).filter(({ name }) => String(name).startsWith("www"));
        return records.map(({ type, content, ttl }) => `${String(type)} ${String(content)} ${String(ttl)}`).toSorted();
      };
      try {
        exits(0, await apply(zone("{ A: { ttl: 600, values: [192.0.2.1, 192.0.2.2] } }")));
        const before = atWww();
        expect(before).toEqual(["A 192.0.2.1 600", "A 192.0.2.2 600"]);
        front.interfere((request, response, _pass, body) => {
          const isRefused = request.method !== "GET" && body.includes("CNAME");
          if (isRefused) answerJson(response, 422, { error: { code: "invalid", message: "No aliases here" } });
          return isRefused;
        });
        const refused = exits(5, await apply(zone("{ CNAME: other.example.com. }", removed)));
        expect(refused.stdout).toMatch(/put back.*dns_record\/example\.com\/www\/A/u);
        expect(atWww()).toEqual(before);
        front.interfere(() => false);
        exits(0, await apply(zone("{ CNAME: other.example.com. }", removed)));
        expect(atWww()).toEqual(["CNAME other.example.com. 3600"]);
      } finally {
        reader.close();
        await front.close();
      }
    }),
);
