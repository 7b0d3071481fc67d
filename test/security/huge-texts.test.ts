import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

const quotes = (count: number) => `"${String.raw`\"`.repeat(count)}"`;
const records = (text: string) => `version: 1\nname: x\ndns: { example.com: { records: { a: { TXT: '${text}' } } } }\n`;
const zone = ["import", "OUT", "--from", "zone-file", "FILE"];
const octodns = ["import", "OUT", "--from", "octodns", "FOLDER"];

const cases: readonly (readonly [what: string, file: string, args: readonly string[], text: string])[] = [
  ["a number of 5 MB", "m.yaml", ["validate", "-f", "FILE"], `version: ${"1".repeat(5_000_000)}\nname: x\n`],
  ["a record of 10 MB", "m.yaml", ["validate", "-f", "FILE"], records(quotes(5_000_000))],
  ["a $TTL of 5 MB", "example.com.zone", zone, `$TTL ${"1".repeat(5_000_000)}\n`],
  ["one quoted text of 10 MB", "example.com.zone", zone, `@ 300 IN TXT "${"a".repeat(10_000_000)}"\n`],
  ["a name of 10 MB", "example.com.zone", zone, `${"a.".repeat(5_000_000)} 300 IN A 192.0.2.1\n`],
  ["a name of 4 MB", "o/example.com.yaml", octodns, `${"a.".repeat(2_000_000)}: { type: A, value: 192.0.2.1 }\n`],
  ["a record of 2 MB", "o/example.com.yaml", octodns, `a: { type: TXT, value: ${JSON.stringify(quotes(500_000))} }\n`],
  [
    "a text of 30 MB",
    "seed.json",
    ["plan", "--emulator", "--seed", "FILE", "-f", "ok.yaml"],
    JSON.stringify("a".repeat(30_000_000)),
  ],
];

test.each(size.every(6, cases))("%s in %s is refused with a short message", async (_, file, args, text) => {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const ok = join(folder, "ok.yaml");
  writeFileSync(ok, "version: 1\nname: x\n");
  const words: Readonly<Record<string, string>> = {
    FILE: path,
    FOLDER: dirname(path),
    OUT: join(folder, "out"),
    "ok.yaml": ok,
  };
  const { status, printed } = await runInProcess(
    noAccount,
    args.map((arg) => words[arg] ?? arg),
  );
  expect([status, printed.includes("bug in Hostform")]).toEqual([3, false]);
  expect(printed.length).toBeLessThan(10_000);
});
