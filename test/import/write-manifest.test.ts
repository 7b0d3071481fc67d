import { expect, test } from "vitest";
import type { Block } from "../../src/import/block.ts";
import { parseFile, placeBlocks } from "../../src/import/find-place.ts";
import { insertBlocks } from "../../src/import/insert.ts";
import { writeManifest } from "../../src/import/write-manifest.ts";
import { toAddress } from "../../src/model/address.ts";

const domain = "a.example";
const zone: Block = {
  address: toAddress("dns_zone", [domain]),
  domain,
  path: ["dns", domain],
  isItem: false,
  body: {},
};
const www: Block = {
  address: toAddress("dns_record", [domain, "www", "A"]),
  domain,
  path: [...zone.path, "records", "www", "A"],
  isItem: false,
  body: "192.0.2.1",
};

test("a block that holds nothing but a comment takes lines later, not braces", () => {
  const omissions = [{ of: "dns_record/a.example/x/X", reason: "it is odd", domain, path: zone.path }];
  const files = writeManifest({ blocks: [zone], ignores: [], omissions }, { name: "test", provider: {} }, "folder");
  const file = parseFile(files.find(({ file: name }) => name === "a.example.yaml") ?? { file: "", text: "" });
  const added = insertBlocks(
    file,
    placeBlocks([www], [file], () => ""),
  );
  expect(added.replace(/^#.*\n\n/u, "")).toBe(
    [
      "dns:",
      "  a.example:",
      "    records:",
      "      www:",
      "        A: 192.0.2.1",
      "    # dns_record/a.example/x/X is not managed here: it is odd",
      "",
    ].join("\n"),
  );
});
