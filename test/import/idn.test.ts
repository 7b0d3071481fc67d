import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { writeFiles } from "./zone-file/judge.ts";

const soa = "@ 3600 SOA ns.a.test. h.a.test. 1 2 3 4 5\n";
const lines = "zürich A 192.0.2.1\n*.STRAẞE CNAME zürich\n";

test.each([
  ["a zone file by its name", "zone-file", "Bücher.example.zone", `$TTL 3600\n${soa}${lines}`],
  ["a zone file by its origin", "zone-file", "a.zone", `$ORIGIN bücher.example.\n$TTL 3600\n${soa}${lines}`],
  [
    "octoDNS",
    "octodns",
    "bücher.example.yaml",
    "zürich: { type: A, value: 192.0.2.1 }\n'*.STRAẞE': { type: CNAME, value: zürich.bücher.example. }\n",
  ],
])("names of other letters than a to z are imported from %s", async (_, from, name, text) => {
  const { folder } = writeFiles({ [`in/${name}`]: text });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const out = join(folder, "hosting");
  const file = join(folder, "in", name);
  const source = from === "octodns" ? dirname(file) : file;
  const { stderr } = exits(0, await runInProcess(noAccount, ["import", out, "--from", from, source]));
  expect(stderr).not.toContain("warning");
  expect(readFileSync(join(out, "xn--bcher-kva.example.yaml"), "utf8").replace(/^#.*\n\n/u, "")).toBe(
    [
      "dns:",
      "  xn--bcher-kva.example:",
      "    ttl: 3600",
      "    records:",
      '      "*.xn--strae-oqa":',
      "        CNAME: xn--zrich-kva.xn--bcher-kva.example.",
      "      xn--zrich-kva:",
      "        A: 192.0.2.1",
      "",
    ].join("\n"),
  );
});
