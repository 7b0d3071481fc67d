import fc from "fast-check";
import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Drift, DriftItem } from "../../src/model/drift.ts";
import { renderDrift } from "../../src/render/drift-text.ts";
import { renderMarkdownPage } from "../../src/render/markdown-page.ts";
import { forDraws } from "../support/for-draws.ts";

const mask = (text: string) => text;
const value = (text: string) => ({ is: "value", value: text }) as const;

/** What drifted, as the last part of a name, and whether it is to be checked first. */
const sorts = [
  ["dns_record/a.example/NAME/MX", "differs", "value", true],
  ["dns_record/a.example/NAME/NS", "differs", "value", true],
  ["dns_record/a.example/NAME/MX", "differs", "ttl", false],
  ["dns_record/a.example/NAME/A", "differs", "value", false],
  ["dns_record/a.example/NAME/A", "gone", "value", true],
  ["dns_record/a.example/NAME/MX", "appeared", "value", false],
] as const;

const drifts = fc.array(fc.constantFrom(...sorts), { maxLength: 8 }).map((drawn) =>
  drawn.map(([address, is, path, isDanger], index) => ({
    isDanger,
    item: {
      address: address.replace("NAME", `n${index}`) as Address,
      is,
      changes: [{ path, before: value("old"), after: value("new") }],
    } as DriftItem,
  })),
);

test("what is gone or leads mail or queries elsewhere comes first, as text and above the list of a Markdown page", () =>
  forDraws({}, drifts, (drawn) => {
    const drift = {
      target: { name: "a", baseUrl: "https://api.example/", contract: "v2026", emulator: false },
      items: drawn.map(({ item }) => item),
      tolerated: [],
      incomplete: [],
    } as unknown as Drift;
    const namesIn = (text: string) => [...text.matchAll(/\/(n\d)\//gu)].map(([, name]) => name);
    const names = (isFirst: boolean) =>
      drawn.flatMap(({ isDanger }, index) => (isDanger === isFirst ? [`n${index}`] : []));
    const dangers = names(true);
    const text = renderDrift(drift, { mask, width: 100, color: false });
    expect(namesIn(text)).toEqual([...dangers, ...names(false)]);
    const isAny = (appeared: boolean) => drawn.some(({ item }) => (item.is === "appeared") === appeared);
    expect(text.includes("drift --accept ADDRESS")).toBe(isAny(false));
    expect(text.includes("import --into MANIFEST --only ADDRESS")).toBe(isAny(true));
    const page = renderMarkdownPage({ drift, diagnostics: [], notices: [] }, "drift:a", mask, 0);
    const [above = ""] = page.split("<!--");
    expect(namesIn(above)).toEqual(dangers);
    const count = `${dangers.length} ${dangers.length === 1 ? "difference" : "differences"}`;
    for (const each of [text, above])
      expect(each.includes("Check first")).toBe(dangers.length > 0 && each.includes(`Check first: ${count}\n`));
  }));

test("a secret that was found together with the quotes around it is masked as any other", () => {
  const changes = [{ path: "value", before: value("old"), after: value("new") }];
  const items = [{ address: "dns_record/a.example/www/A", is: "differs", changes }];
  const drift = { target: { name: "a" }, items, tolerated: [], incomplete: [] } as unknown as Drift;
  const sheet = { mask: (text: string) => text.replaceAll('"new"', "(sensitive)"), width: 100, color: false };
  expect(renderDrift(drift, sheet)).toContain("~ old -> (sensitive)\n");
});
