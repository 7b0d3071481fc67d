import fc from "fast-check";
import { expect, test } from "vitest";
import { plan } from "../../src/plan/plan.ts";
import { buildInput, inZone, ours, record } from "./build-input.ts";
import { forDraws } from "../support/for-draws.ts";

const names = ["a", "b", "c", "d", "e"];
const some = fc.subarray(names);

test("the live resources that are not declared, ignored, named under removed or the platform's are listed, and no others", () =>
  forDraws(40, some, some, some, some, some, async (live, declared, ignored, forgotten, owned) => {
    const blocks = declared.map((name) => `, ${name}: { A: 192.0.2.1 }`).join("");
    const removed = forgotten
      .filter((name) => !declared.includes(name))
      .map((name) => `{ address: dns_record/example.com/${name}/A, action: forget }`);
    const ignore = ignored.filter((name) => !declared.includes(name)).map((name) => `"${name}/*"`);
    const manifest = `dns: { example.com: { ignore: [${ignore.join(", ")}], records: { z: { A: 192.0.2.1 }${blocks} } } }
removed: [${removed.join(", ")}]`;
    const records = live.map((name) => record(name, "A", "192.0.2.1", { managed: owned.includes(name) }));
    const made = plan(await buildInput(manifest, inZone(...records)));
    const named = new Set([...declared, ...ignored, ...forgotten, ...owned]);
    expect(made.unmanaged.flatMap(({ addresses }) => addresses)).toEqual(
      live.filter((name) => !named.has(name)).map((name) => `dns_record/example.com/${name}/A`),
    );
  }));

test.each([
  ["hidden as the server made them", null, []],
  ["listed if a field has been written", "jane@example.net", ["mail_settings/example.com"]],
])("mail settings that were declared once are %s", async (_, catchAll, listed) => {
  const settings = { catch_all: catchAll, dkim: { enabled: false }, sending_limit_per_hour: 500 };
  const lists = { "/mail/settings/example.com": [settings] };
  const made = plan(await buildInput("", lists, {}, undefined, ours(["mail_settings/example.com"])));
  expect(made.unmanaged.flatMap(({ addresses }) => addresses)).toEqual(listed);
});
