import { describe, expect, test } from "vitest";
import { insertBlocks, isPlaceable } from "../../src/import/insert.ts";
import { parseFile, placeBlocks } from "../../src/import/find-place.ts";
import type { Block } from "../../src/import/block.ts";
import type { Address } from "../../src/model/address.ts";

const block = (address: string, path: string, body: Block["body"], isItem = false): Block => ({
  address: address as Address,
  domain: path.split(" ")[1] ?? "",
  path: path.split(" "),
  isItem,
  body,
});
const record = block("dns_record/a.test/x/A", "dns a.test records x A", "192.0.2.1");
const job = block("cron/a.test/nightly", "crons a.test jobs nightly", { schedule: "*/5 * * * *" });
const certificate = block("certificate/a.test/managed", "certificates a.test", { domains: ["a.test"] }, true);

function edit(text: string, ...blocks: Block[]): string {
  const file = parseFile({ file: "m.yaml", text });
  return insertBlocks(
    file,
    placeBlocks(blocks, [file], () => "m.yaml"),
  );
}

describe("a block is added", () => {
  test.each([
    ["to nothing", "", 'crons:\n  a.test:\n    jobs:\n      nightly: { schedule: "*/5 * * * *" }\n', [job]],
    [
      "behind the last line, which is open",
      "version: 1",
      "version: 1\ndns:\n  a.test:\n    records:\n      x:\n        A: 192.0.2.1\n",
      [record],
    ],
    [
      "below an empty entry, behind its comment",
      "dns:\n  a.test: # ours\nmail:\n",
      "dns:\n  a.test: # ours\n    records:\n      x:\n        A: 192.0.2.1\nmail:\n",
      [record],
    ],
    [
      "behind comments that are deeper than it, and before others",
      "dns:\n  b.test:\n    records:\n      y:\n        A: 192.0.2.2\n      # z:\n\n      #   A: 192.0.2.3\n\n  # the rest\nmail:\n",
      "dns:\n  b.test:\n    records:\n      y:\n        A: 192.0.2.2\n      # z:\n\n      #   A: 192.0.2.3\n  a.test:\n    records:\n      x:\n        A: 192.0.2.1\n\n  # the rest\nmail:\n",
      [record],
    ],
    [
      "behind a deeper comment at an open end",
      "dns:\n  b.test:\n    ttl: 60\n    # records:",
      "dns:\n  b.test:\n    ttl: 60\n    # records:\n  a.test:\n    records:\n      x:\n        A: 192.0.2.1\n",
      [record],
    ],
    [
      "in braces",
      "dns: { a.test: { records: { x: { AAAA: '::1' } } } }\n",
      "dns: { a.test: { records: { x: { AAAA: '::1', A: 192.0.2.1 } } } }\n",
      [record],
    ],
    ["in empty braces", "dns: { a.test: {} }\n", "dns: { a.test: { records: { x: { A: 192.0.2.1 } } } }\n", [record]],
    [
      "in braces over several lines",
      "dns: {\n  a.test: { ttl: 60 }, # one\n  b.test: {} # two\n}\n",
      "dns: {\n  a.test: { ttl: 60, records: { x: { A: 192.0.2.1 } } }, # one\n  b.test: {} # two\n}\n",
      [record],
    ],
    [
      "before a comma and a comment",
      "dns: { a.test: { ttl: 60, # one\n  } }\n",
      "dns: { a.test: { ttl: 60, records: { x: { A: 192.0.2.1 } }, # one\n  } }\n",
      [record],
    ],
    [
      "under a name that is spelt otherwise",
      "dns:\n  A.Test.:\n    records:\n        X: { AAAA: '::1' }\n",
      "dns:\n  A.Test.:\n    records:\n        X: { AAAA: '::1', A: 192.0.2.1 }\n",
      [record],
    ],
    [
      "to a list",
      "certificates:\n  a.test:\n    - domains: [b.test]\n",
      "certificates:\n  a.test:\n    - domains: [b.test]\n    - { domains: [ a.test ] }\n",
      [certificate],
    ],
    [
      "to a list in brackets",
      "certificates: { a.test: [{ domains: [b.test] }] }\n",
      "certificates: { a.test: [{ domains: [b.test] }, { domains: [ a.test ] }] }\n",
      [certificate],
    ],
    [
      "at the end of nested maps, the deepest first",
      "dns:\n  a.test:\n    records:\n      y: { A: 192.0.2.2 }\n",
      'dns:\n  a.test:\n    records:\n      y: { A: 192.0.2.2 }\n      x:\n        A: 192.0.2.1\n    dnssec: { enabled: true }\ncrons:\n  a.test:\n    jobs:\n      nightly: { schedule: "*/5 * * * *" }\n',
      [record, block("dnssec/a.test", "dns a.test dnssec", { enabled: true }), job],
    ],
    [
      "with the line ends of the file",
      "version: 1\r\ndns:\r\n  a.test:\r\n",
      "version: 1\r\ndns:\r\n  a.test:\r\n    records:\r\n      x:\r\n        A: 192.0.2.1\r\n",
      [record],
    ],
    [
      "behind a text of several lines",
      "crons:\n  a.test:\n    jobs:\n      b:\n        command: |\n          one\n\n          two\n\ndns: {}\n",
      'crons:\n  a.test:\n    jobs:\n      b:\n        command: |\n          one\n\n          two\n      nightly: { schedule: "*/5 * * * *" }\n\ndns: {}\n',
      [job],
    ],
  ] as const)("%s", (_name, before, after, blocks) => {
    expect(edit(before, ...blocks)).toBe(after);
  });

  test.each([
    "dns: &all { a.test: {} }",
    "dns:\n  b.test: &b {}\n  a.test: *b\n",
    "dns: { a.test: 5 }",
    "dns: !x { a.test: {} }",
  ])("nowhere in %j", (text) => {
    const file = parseFile({ file: "m.yaml", text });
    const [placed] = placeBlocks([record], [file], () => "m.yaml");
    expect(placed && isPlaceable(file, placed)).toBe(false);
  });
});
