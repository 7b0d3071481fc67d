import fc from "fast-check";
import { expect, test } from "vitest";
import { boundText, shorten } from "../../src/lib/shorten.ts";
import { renderDiagnostics } from "../../src/render/diagnostics.ts";
import { renderEvent } from "../../src/render/mask-event.ts";
import { renderFailure } from "../../src/render/report-text.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";
import { widePage } from "../support/plain-page.ts";

const long = fc
  .tuple(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), fc.integer({ min: 0, max: 20_000 }))
  .map(([text, times]) => text.repeat(times));

test("a text in a message has at most some 4,000 characters, and one that is shorter stays as it is", () =>
  forDraws({ numRuns: 200 }, long, fc.integer({ min: 1, max: 100 }), (text, limit) => {
    const bound = boundText(text);
    expect(bound.length).toBeLessThan(4100);
    if (text.length <= 4000) expect(bound).toBe(text);
    else expect([text.startsWith(bound.slice(0, 3000)), text.endsWith(bound.slice(-400))]).toEqual([true, true]);
    expect(shorten(text, limit).length).toBeLessThanOrEqual(limit + 1);
  }));

const secret = "the secret of the run";
const mask = (text: string) => text.replaceAll(secret, "(sensitive)");

test("whatever a diagnostic, a failure or an event says is bound, and no cut leaves a half of a secret", () =>
  forDraws({ numRuns: 60 }, fc.integer({ min: 3300, max: 4100 }), fc.integer({ min: 0, max: 600 }), (before, after) => {
    const text = `${"a".repeat(before)}${secret}${"b".repeat(500_000)}${secret}${"c".repeat(after)}`;
    const words = { severity: "error", code: "x", summary: text, detail: text, hint: text } as const;
    const at = { file: "m.yaml", line: 1, col: 1 };
    const failure = {
      sort: "invalid",
      method: "GET",
      path: "/x",
      attempts: 1,
      message: text,
      fields: { a: [text] },
    } as const;
    const printed = [
      renderDiagnostics([{ ...words, hint: "", related: [{ at, message: text }] }], { ...widePage, mask }),
      renderFailure(failure, { color: false, width: 100, mask }).join("\n"),
      renderEvent({ type: "diagnostic", ...words, hint: "" }, mask),
      renderEvent({ type: "step_end", failure }, mask),
    ];
    for (const each of printed) {
      expect(each.length).toBeLessThan(20_000);
      expect(/the sec|secret|the run/u.test(each)).toBe(false);
    }
  }));

test.runIf(size.whole)(
  "a hint is whole, because a recipe in it is pasted; beyond 100,000 characters it is bound, too",
  async () => {
    const hintOf = (hint: string) => {
      const words = { severity: "error", code: "x", summary: "", hint } as const;
      const event = JSON.parse(renderEvent({ type: "diagnostic", ...words }, mask)) as { hint: string };
      return [event.hint, renderDiagnostics([words], { ...widePage, mask })];
    };
    await forDraws(
      { numRuns: 10 },
      fc.array(fc.stringMatching(/^[a-z]{1,20}$/u), { minLength: 900, maxLength: 2000 }),
      (names) => {
        const recipe = names.map((name) => `--allow-delete domain/${name}.example`).join(" ");
        for (const text of hintOf(recipe)) expect(text).toContain(recipe);
      },
    );
    for (const text of hintOf("a".repeat(500_000))) expect(text.length).toBeLessThan(101_000);
  },
);

test("the result of a command is whole", () => {
  const text = "a\n".repeat(50_000);
  for (const event of [
    { type: "rendered", manifest: text },
    { type: "zone_file", text },
    { type: "planned", value: text },
  ])
    expect(Object.values(JSON.parse(renderEvent(event, mask)) as object)).toContain(text);
});
