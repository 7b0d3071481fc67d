import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import type { Change, Shown, Step } from "../../src/model/plan.ts";
import { widthOf } from "../../src/lib/shorten.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { planOf, stepOf } from "../support/make-step.ts";
import { plainPage } from "../support/plain-page.ts";

const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/u);
const domains = names.map((name) => `${name}.example`);
const addressOf = fc.oneof(
  fc.tuple(domains, names).map(([domain, name]) => `dns_record/${domain}/${name}/A`),
  fc.tuple(names, domains).map(([name, domain]) => `mailbox/${name}@${domain}`),
  fc.tuple(domains, names).map(([domain, name]) => `cron/${domain}/${name}`),
  domains.map((domain) => `service/${domain}`),
) as fc.Arbitrary<Address>;

const words = fc.stringMatching(/^[ -~]{0,90}$/u);
const shown: fc.Arbitrary<Shown> = fc.oneof(
  words.map((value) => ({ is: "value" as const, value })),
  fc.constant({ is: "sensitive" as const, from: "${env:PASSWORD}" }),
  fc.constant({ is: "known_after_apply" as const }),
  fc.constant({ is: "absent" as const }),
);
const change: fc.Arbitrary<Change> = fc.record(
  { path: fc.constantFrom("value", "ttl", "settings.php_version"), before: shown, after: shown, notCarried: words },
  { requiredKeys: ["path", "before", "after"] },
);
const drawnStep: fc.Arbitrary<Omit<Step, "id">> = fc.record(
  {
    address: addressOf,
    action: fc.constantFrom("create", "update", "delete", "renew"),
    replaces: fc.constant(false),
    purchase: fc.boolean(),
    changes: fc.array(change, { maxLength: 4 }),
    calls: fc.constant([]),
    after: fc.constant([]),
    reason: fc.constantFrom({ is: "not_live" }, { is: "named_in_removed" }, { is: "not_declared" }),
    takesAlong: fc.array(addressOf, { maxLength: 3 }),
    at: fc.constant({ file: "hosting/customers/m.yaml", line: 3, col: 5 }),
    on_refusal: addressOf.map((address) => [{ address, is: "lost" as const, reason: "no request restores it" }]),
  },
  { requiredKeys: ["address", "action", "replaces", "purchase", "changes", "calls", "after", "reason"] },
);
const drawnSteps = fc
  .uniqueArray(drawnStep, { maxLength: 70, size: "max", selector: ({ address }) => address })
  .chain((steps) =>
    fc.tuple(fc.constant(steps), fc.array(fc.boolean(), { minLength: steps.length, maxLength: steps.length })),
  )
  .map(([steps, replaced]) =>
    steps.flatMap((step, index): Step[] =>
      replaced[index] === true
        ? (["delete", "create"] as const).map((action) => ({
            ...step,
            action,
            replaces: true,
            id: `${action} ${step.address}`,
          }))
        : [
            {
              ...step,
              id: `${step.action} ${step.address}`,
              ...(step.action === "delete" && {
                gaps: [{ name: `gap${index}.example`, until: `delete ${step.address}` }],
              }),
            },
          ],
    ),
  );

const text = (steps: readonly Step[], more: { width?: number; full?: boolean; color?: boolean } = {}) =>
  renderPlan(planOf({ steps }), { ...plainPage, showIgnored: false, now: 0, ...more });
const widths = fc.integer({ min: 40, max: 200 });

const isDangerous = ({ action, replaces, purchase, on_refusal = [], takesAlong = [], changes }: Step) =>
  action === "delete" ||
  action === "renew" ||
  replaces ||
  purchase ||
  on_refusal.length + takesAlong.length > 0 ||
  changes.some(({ notCarried }) => notCarried !== undefined);

describe("whatever the plan is", () => {
  test("each step stands in it once with its number, and no line is wider than the page unless one of its words is", () =>
    forDraws({ numRuns: 60 }, drawnSteps, widths, (steps, width) => {
      const shownText = text(steps, { width, full: true });
      const lines = shownText.split("\n");
      for (const [index, { address, action, replaces }] of steps.entries()) {
        const first = replaces && action === "create" ? index : index + 1;
        const numbers = lines.map((line) => /^ +(\d+) +(?:\+|~|-|-\/\+|\$)(?= |$)/u.exec(line)?.[1]);
        expect(numbers.filter((number) => number === String(first))).toHaveLength(1);
        expect(shownText).toContain(address);
      }
      for (const line of lines)
        if (line.length > width)
          expect(Math.max(...line.split(" ").map(({ length }) => length))).toBeGreaterThan(width);
    }));

  test("folding a plan hides no danger, and gives the same lines with and without colour", () =>
    forDraws({ numRuns: 60 }, drawnSteps, widths, (steps, width) => {
      const folded = text(steps, { width });
      const joined = folded.replaceAll(/\s+/gu, " ");
      for (const step of steps.filter(isDangerous)) {
        expect(folded).toContain(step.address);
        for (const taken of step.takesAlong ?? []) expect(folded).toContain(taken);
        for (const { name } of step.gaps ?? []) expect(joined).toContain(`! ${name} has no answer while step`);
        for (const { address } of step.on_refusal ?? [])
          expect(joined).toContain(`if the server refuses this, ${address} is not put back: no request restores it`);
      }
      expect(stripVTControlCharacters(text(steps, { width, color: true }))).toBe(folded);
    }));

  test("a secret is masked where a line break would part it", async () => {
    const secret = "a secret with many words that no line of forty characters holds as a whole";
    await forDraws({ numRuns: 30 }, widths, fc.stringMatching(/^[a-z ]{0,60}$/u), (width, before) => {
      const value = { is: "value", value: `${before}${secret}` } as const;
      const [made] = [
        stepOf("cron/a.example/x", { changes: [{ path: "command", before: { is: "absent" }, after: value }] }),
      ];
      const mask = (all: string) => all.replaceAll(secret, "(sensitive)");
      const printed = renderPlan(planOf({ steps: [made] }), { ...plainPage, width, mask, showIgnored: false, now: 0 });
      expect(printed.replaceAll(/\s+/gu, " ")).not.toContain("no line of forty");
      expect(printed).toContain("(sensitive)");
    });
  });
});

const field = (path: string, value: string | number | readonly string[]): Change => ({
  path,
  before: { is: "absent" },
  after: { is: "value", value: typeof value === "object" ? [...value] : value },
});

describe("the length of a plan", () => {
  const creations = Array.from({ length: 1003 }, (_, index) =>
    stepOf(`dns_record/zone${index % 17}.example/n${index}/A`, {
      changes: [field("ttl", 60), field("value", "192.0.2.1")],
    }),
  );

  test("1,003 creations are under a hundred lines, and a line each with --full", () => {
    expect(text(creations).split("\n").length).toBeLessThan(100);
    const lines = text(creations, { full: true }).split("\n");
    expect(lines.filter((line) => line.includes("dns_record/"))).toHaveLength(1003);
    expect(lines.length).toBeLessThan(1003 + 2 * 17 + 10);
  });

  test("is a line for what a line says, with the values first and the place last", () => {
    const www = stepOf("dns_record/a.example/www/A", {
      changes: [field("ttl", 60), field("value", "192.0.2.10"), field("value", "192.0.2.11")],
    });
    expect(text([www])).toContain("\n  1 + dns_record/a.example/www/A   192.0.2.10, 192.0.2.11   ttl 60   m.yaml:3\n");
  });

  test.each([1, 20])("keeps its columns where names have wide letters, %i steps for each", (count) => {
    const steps = ["日本", "ｶﾅ", "abc", "한국".normalize("NFD")].flatMap((name) =>
      Array.from({ length: count }, (_, index) =>
        stepOf(`dns_record/${name}.example/${index}/A`, { changes: [field("ttl", 60)] }),
      ),
    );
    const columns = [...text(steps).matchAll(/^( .*\.example.*   )(?:ttl 60|\d+ to add)/gmu)].map(([, name = ""]) =>
      widthOf(name),
    );
    expect(columns).toHaveLength(4);
    expect(new Set(columns).size).toBe(1);
  });

  test("is a line for each of several fields that change", () => {
    const changes = [
      { path: "quota_mb", before: { is: "value", value: 1024 }, after: { is: "value", value: 2048 } },
      { path: "name", before: { is: "value", value: "Ann" }, after: { is: "value", value: "Bo Li" } },
    ] as const;
    const updated = { action: "update", reason: { is: "fields_differ", fields: ["quota_mb"] } } as const;
    const one = stepOf("mailbox/a@a.example", { ...updated, changes: changes.slice(0, 1) });
    expect(text([one])).toContain("\n  1 ~ mailbox/a@a.example   quota_mb 1024 -> 2048   m.yaml:3\n");
    const both = stepOf("mailbox/a@a.example", { ...updated, changes });
    expect(text([both])).toContain(
      "\n  1 ~ mailbox/a@a.example   m.yaml:3\n      ~ quota_mb 1024 -> 2048\n      ~ name     Ann -> Bo Li\n",
    );
  });
});

describe("a value", () => {
  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["10 mx1.host.test.", "10 mx1.host.test."],
    ["0 3 * * *", "0 3 * * *"],
    ["*/15 * * * *", '"*/15 * * * *"'],
    ["8.3", '"8.3"'],
    ["true", '"true"'],
    ["", '""'],
    ["a: b", '"a: b"'],
    ["a, b", '"a, b"'],
    ["(sensitive)", '"(sensitive)"'],
    ["x   m.yaml:1", '"x   m.yaml:1"'],
    ["1 -> 2", '"1 -> 2"'],
    [["a", "b c"], "[a, b c]"],
    [2048, "2048"],
  ] as const)("%j stands as %s", (value, printed) => {
    expect(text([stepOf("cron/a.example/x", { changes: [field("command", value)] })])).toContain(
      `cron/a.example/x   command ${printed}   m.yaml:3\n`,
    );
  });
});
