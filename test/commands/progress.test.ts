import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { maskingIo } from "../../src/cli/masking-io.ts";
import { columnsToErase, eraseLine, statusLine } from "../../src/cli/status-line.ts";
import { renderApplying, renderReading } from "../../src/render/progress-text.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { screenOf } from "../support/screen.ts";

describe("a line of progress", () => {
  const texts = fc.string({ unit: "grapheme-ascii", maxLength: 90 });
  const steps = fc.array(
    fc.oneof(
      fc.record({ show: texts }),
      fc.record({ write: texts }),
      fc.record({ writeError: texts }),
      fc.record({ ask: texts }),
    ),
    { maxLength: 12 },
  );

  test("never wraps, and leaves nothing behind beside whatever else is printed", () =>
    forDraws({}, steps, fc.integer({ min: 1, max: 80 }), async (all, width) => {
      let printed = "";
      let plain = "";
      const write = (text: string) => void (printed += text);
      const io = maskingIo({
        ...({ env: {} } as Parameters<typeof maskingIo>[0]),
        write,
        writeError: write,
        columnsToErase: () => width,
        ask: async (question) => {
          write(`${question}yes\n`);
          return "yes";
        },
      });
      for (const step of all) {
        if ("show" in step) {
          io.showStatus(step.show);
          expect(screenOf(printed, width).slice(0, -1)).toEqual(screenOf(plain, width).slice(0, -1));
          continue;
        }
        const [[name, text]] = Object.entries(step) as [["write" | "writeError" | "ask", string]];
        if (name === "ask") await io.ask(text, new AbortController().signal);
        else io[name](`${text}\n`);
        plain += name === "ask" ? `${text}yes\n` : `${text}\n`;
      }
      io.showStatus("");
      expect(screenOf(printed, width)).toEqual(screenOf(plain, width));
    }));

  test("is not drawn where lines cannot be erased", () => {
    let printed = "";
    const line = statusLine(
      (text) => (printed += text),
      () => undefined,
    );
    line.show("Reading 12 lists: 5 done");
    line.erase();
    expect(printed).toBe("");
    expect(columnsToErase({ stderr: { isTTY: true, columns: 80 }, env: { TERM: "xterm" } })).toBe(80);
    expect(columnsToErase({ stderr: { isTTY: true, columns: 80 }, env: { TERM: "dumb" } })).toBeUndefined();
    expect(columnsToErase({ stderr: { isTTY: true, columns: 0 }, env: {} })).toBeUndefined();
    expect(columnsToErase({ stderr: { columns: 80 }, env: {} })).toBeUndefined();
  });

  test.each([
    [renderReading({ total: 12, done: 5 }), "Reading 12 lists: 5 done"],
    [renderReading({ total: 1, done: 0 }), "Reading 1 list: 0 done"],
    [renderReading({ total: 12, done: 12 }), ""],
    [renderApplying({ total: 8, done: 0, milliseconds: 5000 }), "Applying: 0 of 8 steps done"],
    [renderApplying({ total: 8, done: 3, milliseconds: 400 }), "Applying: 3 of 8 steps done"],
    [
      renderApplying({ total: 8, done: 3, milliseconds: 1500 }),
      "Applying: 3 of 8 steps done, 2.0 steps/s, about 3 s left",
    ],
    [
      renderApplying({ total: 8, done: 3, milliseconds: 90_000 }),
      "Applying: 3 of 8 steps done, 2.0 steps/min, about 3 min left",
    ],
    [renderApplying({ total: 8, done: 8, milliseconds: 1500 }), ""],
  ])("says %s", (text, expected) => {
    expect(text).toBe(expected);
  });
});

describe("a command", () => {
  const account = accountForFile();
  const front = frontForFile(account);
  let manifest: string;
  let order: string[];
  beforeAll(async () => {
    front.interfere(async () => {
      order.push("request");
      return false;
    });
    const records = "records: { www: { A: 192.0.2.1 }, mail: { A: 192.0.2.2 }, '@': { MX: 10 mail.a.test. } }";
    manifest = account.write("m.yaml", `version: 1\nname: t\ndns: { a.test: { ${records} } }\n`);
  });

  const run = async (args: readonly string[], columns?: number) => {
    order = [];
    const seen = (stdout: string) => {
      if (/^Target: |"type":"target"/mu.test(stdout)) order.push("target");
    };
    const terminal = { columnsToErase: () => columns };
    return runInProcess(front, args, {}, terminal, seen);
  };
  const beside = (name: string) => join(dirname(manifest), name);
  const commands = (): string[][] => [
    ["plan", "-f", manifest],
    ["why", "dns_record/a.test/www/A", "-f", manifest],
    ["status"],
    ["snapshot", "--out", beside("live.json")],
    ["apply", "--auto-approve", "-f", manifest],
    ["import", beside("imported")],
  ];

  test.each([0, 1, 2, 3, 4, 5])("names its target before its first request, as text and as JSON: %s", async (index) => {
    const args = commands()[index] ?? [];
    const { stdout, stderr } = await run(args);
    expect(order[0], stdout + stderr).toBe("target");
    expect(order).toContain("request");
    if (args[0] !== "import") expect(stdout.match(/^Target: .*$/gmu)?.length).toBe(args[0] === "apply" ? 2 : 1);
    const again = args[0] === "import" ? ["import", beside("imported-again")] : args;
    const events = eventsOf(await run([...again, "--json"]));
    expect(order[0]).toBe("target");
    expect(events.findIndex(({ type }) => type === "target")).toBeLessThan(3);
    expect(events.map(({ type }) => type)).not.toContain("reading_lists");
  });

  test("shows on a terminal how far it is, and leaves nothing of it", async () => {
    const file = account.write(
      "n.yaml",
      "version: 1\nname: n\ndns: { b.test: { records: { www: { A: 192.0.2.1 }, t: { TXT: x } } } }\n",
    );
    const { printed } = await run(["apply", "--auto-approve", "-f", file], 60);
    const drawn = printed.split(eraseLine).map((text) => text.split("\n")[0]);
    expect(drawn).toContainEqual(expect.stringMatching(/^Reading \d+ lists?: \d+ done$/u));
    expect(drawn).toContainEqual(expect.stringMatching(/^Applying: 1 of 3 steps done/u));
    const left = screenOf(printed, 2000).join("\n");
    expect(left).not.toMatch(/Reading|Applying/u);
    expect(left).toMatch(/^created {2}dns_record\/b\.test\/www\/A after \d+\.\d s$/mu);
  });

  test("off a terminal prints lines alone", async () => {
    const { printed } = await run(["plan", "-f", manifest]);
    expect(printed).not.toMatch(/\p{Cc}(?<!\n)|Reading/u);
  });
});
