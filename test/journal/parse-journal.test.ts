import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseJournal } from "../../src/journal/parse-journal.ts";
import type { Intent } from "../../src/model/journal.ts";
import type { Address } from "../../src/model/address.ts";
import { sealedLines } from "../support/sealed-lines.ts";
import { begin, inFlightIn, intent, outcome, partsOf, write } from "./journal-samples.ts";
import { anyCharacter } from "../support/any-character.ts";
import { forDraws } from "../support/for-draws.ts";

describe("a journal that is read", () => {
  test("has in flight what has no outcome, or one that does not tell", () => {
    const records = [begin, intent(1), intent(2), intent(3), intent(4), outcome(1, "done"), outcome(2, "failed")];
    expect(inFlightIn(sealedLines([...records, outcome(3, "unknown")]))).toEqual([3, 4]);
    expect(inFlightIn(sealedLines([...records, outcome(3, "unknown"), outcome(3, "done")]))).toEqual([4]);
  });

  test("keeps of a write that is done only the fields that find what it made, in whatever order writes end", async () => {
    const operation = fc.constantFrom<Intent["operation"]>("create", "update", "delete");
    const writesOf = fc.array(fc.tuple(operation, fc.boolean(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 30 });
    const full = { ids: [], write_only: ["x"], key: "k", body: "0".repeat(64) };
    await forDraws({ numRuns: 100 }, writesOf, (writes) => {
      const numbers = writes.map((_, index) => index + 1);
      const byDraw = (place: 2 | 3) =>
        numbers.toSorted((a, b) => (writes[a - 1]?.[place] ?? 0) - (writes[b - 1]?.[place] ?? 0));
      const [starts, ends] = [byDraw(2), byDraw(3)];
      const text = sealedLines([
        begin,
        ...starts.map((n) => intent(n, { ...full, operation: writes[n - 1]?.[0] ?? "create" })),
        ...ends.map((n) => (writes[n - 1]?.[1] ? { ...outcome(n, "done"), id: `id${n}` } : outcome(n, "failed"))),
      ]);
      const parsed = parseJournal(partsOf(text));
      const made = "journal" in parsed ? parsed.journal.made : [];
      const { step: _step, ...found } = write;
      const created = ends.filter((n) => writes[n - 1]?.[0] === "create" && writes[n - 1]?.[1]);
      expect(made).toEqual(created.map((n) => ({ ...found, id: `id${n}` })));
      expect(parsed).toMatchObject({ journal: { inFlight: [], failed: [], held: [], removedValues: [] } });
    });
  });

  test("keeps the id of an answer that does not tell, unless a later outcome does", () => {
    const records = [
      begin,
      intent(1),
      intent(2),
      { ...outcome(1, "unknown"), id: "a" },
      { ...outcome(2, "unknown"), id: "b" },
    ];
    const parsed = parseJournal(partsOf(sealedLines([...records, { ...outcome(2, "done"), id: "b" }])));
    expect(parsed).toMatchObject({ journal: { inFlight: [{ intent: { n: 1 }, answered: "a" }], made: [{ id: "b" }] } });
  });

  test("counts beside a write in flight the creations at its address that are done, with an id and without", () => {
    const other = intent(3, { address: "dns_record/a.example/x/A" as Address });
    const records = [begin, intent(1), intent(2), other, intent(4), { ...outcome(1, "done"), id: "a" }];
    const parsed = parseJournal(partsOf(sealedLines([...records, outcome(2, "done")])));
    const inFlight = "journal" in parsed ? parsed.journal.inFlight : [];
    expect(inFlight.map(({ intent: { n }, doneBeside }) => [n, doneBeside])).toEqual([
      [3, 0],
      [4, 2],
    ]);
  });

  test("cut off anywhere, has in flight whatever it does not say to be done", async () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1 });
    await forDraws({ numRuns: 100 }, numbers, fc.double({ min: 0, max: 1, noNaN: true }), (order, part) => {
      const text = sealedLines([begin, ...order.flatMap((n) => [intent(n), outcome(n, "done")])]);
      const cut = text.slice(0, sealedLines([begin]).length + Math.floor(part * (text.length / 2)));
      const whole = cut.slice(0, cut.lastIndexOf("\n") + 1);
      const begun = order.filter((n) => whole.includes(`"intent","n":${n},`));
      const done = order.filter((n) => whole.includes(`"outcome","n":${n},`));
      expect(inFlightIn(cut)).toEqual(begun.filter((n) => !done.includes(n)));
    });
  });

  test("is damaged where any line but the last is altered, missing, doubled or moved", async () => {
    const lines = sealedLines([begin, ...[1, 2, 3, 4].flatMap((n) => [intent(n), outcome(n, "done")])])
      .trimEnd()
      .split("\n");
    const at = fc.nat(lines.length - 2);
    const damage = fc.oneof(
      at.map((index) => lines.toSpliced(index, 1)),
      at.map((index) => lines.toSpliced(index, 0, lines[index] ?? "")),
      at.map((index) => lines.toSpliced(index, 2, lines[index + 1] ?? "", lines[index] ?? "")),
      at.map((index) => lines.toSpliced(index, 0, "")),
      fc.tuple(at, fc.nat(), fc.integer({ min: 1, max: 255 })).map(([index, place, flip]) => {
        const line = Buffer.from(lines[index] ?? "", "latin1");
        const byte = place % line.length;
        line[byte] = (line[byte] ?? 0) ^ flip;
        return lines.with(index, line.toString("latin1"));
      }),
    );
    await forDraws({ numRuns: 500 }, damage, (damaged) => {
      expect(parseJournal(partsOf(`${damaged.join("\n")}\n`))).toHaveProperty("wrong");
    });
  });

  test("is none where a line is anything else", () => {
    const isNone = (text: string) => text.trim() === "" || "wrong" in parseJournal(partsOf(text));
    const line = fc.oneof(fc.string({ unit: anyCharacter, minLength: 1 }), fc.json());
    const property = fc.property(line, (each) => isNone(`${each}\n`) && isNone(`${sealedLines([begin])}${each}x\n`));
    expect(fc.check(property, { numRuns: 100 }).counterexample).toBe(null);
  });

  test.each<[string, string]>([
    ["no JSON", "no\n"],
    ["without a beginning", sealedLines([intent(1)])],
    ["of a later version", sealedLines([{ ...begin, version: 2 }])],
    ["with two beginnings", sealedLines([begin, begin])],
    ["with a foreign field", sealedLines([begin, { ...intent(1), password: "x" }])],
    ["with an address that is none", sealedLines([begin, { ...intent(1), address: "planet/mars" }])],
    ["with a key that would end a header", sealedLines([begin, { ...intent(1), key: "a\r\nx: y" }])],
    ["with a number twice", sealedLines([begin, intent(1), intent(1)])],
    ["with an outcome of nothing", sealedLines([begin, outcome(1, "done")])],
    ["nested without end", `${"[".repeat(200_000)}\n`],
  ])("%s, is none", (_name, text) => {
    expect(parseJournal(partsOf(text))).toHaveProperty("wrong");
  });
});
