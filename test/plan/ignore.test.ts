import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDesired } from "../../src/manifest/read/desired.ts";
import { plan } from "../../src/plan/plan.ts";
import { loadBody } from "../manifest/load-text.ts";
import { buildInput, inZone, record, service } from "./build-input.ts";
import { forDraws } from "../support/for-draws.ts";

/** Names as plans print them; `/` is percent-encoded there. */
const names = ["@", "www", "a.b", "_acme-challenge.www", "0%2F25", "*.dev", "old-1"] as const;
const types = { A: "192.0.2.1", TXT: "x", CAA: '0 issue "ca.example"', PTR: "host.example.net." } as const;
const name = fc.constantFrom(...names);
const type = fc.constantFrom(...(Object.keys(types) as (keyof typeof types)[]));
const records = fc.uniqueArray(fc.record({ name, type }), {
  minLength: 1,
  maxLength: 6,
  selector: (each) => `${each.name} ${each.type}`,
});

interface Pattern {
  readonly text: string;
  readonly matches: (name: string, type: string) => boolean;
}
const anyCase = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.toLowerCase(),
);
/** `*` stands for any characters in a pattern, also where it is a wildcard's own label. */
const glob = (text: string) =>
  new RegExp(`^${text.replaceAll(/[.+^${}()|[\]\\]/gu, String.raw`\$&`).replaceAll("*", ".*")}$`, "iu");
const nameGlob = fc.oneof(name, fc.constantFrom("*", "_acme*", "*w", "old-*", "nothing", "*.nothing"));
const pattern: fc.Arbitrary<Pattern> = fc.oneof(
  nameGlob.map((text) => ({ text, matches: (each: string) => glob(text).test(each) })),
  fc.tuple(nameGlob, type, anyCase).map(([text, wanted, spell]) => ({
    text: `${text}/${spell(wanted)}`,
    matches: (each: string, is: string) => glob(text).test(each) && is === wanted,
  })),
);

const listed = (all: readonly { readonly name: string; readonly type: keyof typeof types }[]) =>
  inZone(...all.map((each) => record(decodeURIComponent(each.name), each.type, types[each.type])));

describe("the patterns of ignore", () => {
  test("keep exactly the records of an exclusive zone that they name, and each without * that names none is reported at its place", () =>
    forDraws(300, records, fc.array(pattern, { maxLength: 3 }), async (live, patterns) => {
      const list = patterns.map(({ text }) => JSON.stringify(text)).join(", ");
      const input = await buildInput(`dns: { example.com: { exclusive: true, ignore: [${list}] } }`, listed(live));
      const made = plan(input);
      const deleted = made.steps.map(({ address }) => address);
      const left = live.filter((each) => !patterns.some(({ matches }) => matches(each.name, each.type)));
      expect(deleted.toSorted()).toEqual(
        left.map((each) => `dns_record/example.com/${each.name}/${each.type}`).toSorted(),
      );
      const told = made.diagnostics.filter(({ code }) => code === "ignores_nothing");
      // A pattern with * may wait for records that others make at times.
      const unused = patterns.filter(
        ({ text, matches }) => !text.includes("*") && !live.some((each) => matches(each.name, each.type)),
      );
      expect(told.map(({ summary }) => summary)).toEqual(
        unused.map(({ text }) => expect.stringContaining(`"${text}"`)),
      );
      expect(told.map(({ at }) => at?.line)).toEqual(unused.map(() => 3));
    }));

  test("are a mistake that shows both places where they name what is declared", () =>
    forDraws(100, records, fc.array(pattern, { minLength: 1, maxLength: 3 }), async (declared, patterns) => {
      const list = patterns.map(({ text }) => `  - ${JSON.stringify(text)}`).join("\n    ");
      const byName = new Map(names.map((each) => [each, declared.filter((set) => set.name === each)] as const));
      const blocks = [...byName]
        .filter(([, sets]) => sets.length > 0)
        .map(
          ([each, sets]) =>
            `${JSON.stringify(decodeURIComponent(each))}: { ${sets.map((set) => `${set.type}: ${JSON.stringify(types[set.type])}`).join(", ")} }`,
        );
      const { tree } = await loadBody(
        `dns:\n  example.com:\n    ignore:\n    ${list}\n    records: { ${blocks.join(", ")} }\n`,
      );
      if (!tree) throw new Error("not read");
      const { diagnostics } = readDesired(tree, () => ({ missing: "x" }));
      const told = diagnostics.filter(({ code }) => code === "declared_and_ignored");
      const wrong = [...byName.values()].flat().flatMap((each) => {
        const index = patterns.findIndex(({ matches }) => matches(each.name, each.type));
        return index < 0 ? [] : [{ address: `dns_record/example.com/${each.name}/${each.type}`, line: 6 + index }];
      });
      expect(told.map(({ related }) => related?.[0]?.at.line)).toEqual(wrong.map(({ line }) => line));
      for (const [index, { address }] of wrong.entries()) {
        expect(told[index]?.summary).toContain(address);
        expect(told[index]?.at?.line).toBe(6 + patterns.length);
      }
    }));

  test("name objects beside one list in any of its kinds, and only a pattern that names nothing there is reported", async () => {
    const manifest =
      "domains: { example.com: }\nmail: { example.com: { exclusive: true, ignore: [sales, info@example.com, gone] } }";
    const lists = {
      "/domains": [{ id: "d1", name: "example.com" }],
      "/mail/accounts?domain=example.com": [{ id: "m1", address: "info@example.com" }],
      "/mail/aliases?domain=example.com": [{ id: "a1", address: "sales@example.com", destinations: ["x@example.com"] }],
    };
    const made = plan(await buildInput(manifest, lists));
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([{ severity: "notice", code: "ignores_nothing", at: { line: 4, col: 75 } }]);
  });

  test.each([
    ["crons: { example.com: { exclusive: true, ignore: [NAME] } }", "/crons?service_id=s1", "nightly"],
    ["databases: { example.com: { exclusive: true, ignore: [NAME] } }", "/databases?service_id=s1", "shop"],
  ])("name the resource itself in %s", async (manifest, path, resource) => {
    const live = {
      "/services": [service],
      [path]: [{ id: "x1", service_id: "s1", name: resource, engine: "mariadb" }],
    };
    const planned = async (named: string) =>
      plan(await buildInput(`services: { example.com: }\n${manifest.replace("NAME", named)}`, live));
    const [kept, gone] = [await planned(resource), await planned("other")];
    expect([kept.steps.length, kept.diagnostics.length]).toEqual([0, 0]);
    expect([gone.steps.length, gone.diagnostics[0]?.code]).toEqual([1, "ignores_nothing"]);
  });

  test("are not judged where the list was not read whole, nor by a run about some addresses", async () => {
    const manifest = "dns: { example.com: { exclusive: true, ignore: [gone] } }";
    const input = await buildInput(manifest, listed([{ name: "www", type: "A" }]));
    const only = { ...input, selection: { only: ["dns_record/*"], except: [] } };
    const collections = new Map(
      [...input.live.collections].map(([id, collection]) => [id, { ...collection, incomplete: "short" }]),
    );
    const short = { ...input, live: { ...input.live, collections } };
    for (const each of [only, short])
      expect(plan(each).diagnostics.filter(({ code }) => code === "ignores_nothing")).toEqual([]);
  });
});
