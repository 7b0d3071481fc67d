import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

const contract = `contract: 1
name: other
extends: v2026
kinds:
  mailbox:
    fields:
      address: { at: /local, as: [local_part], create: /address }
    operations:
      create: { method: POST, path: /mail, body: { /kind: imap } }
`;

test.each([
  ["contract: 1", "contract: 2", "write 1"],
  ["as: [local_part]", "as: local_part", "write [local_part]"],
  ["at: /local,", "at: local,", "write /local"],
  ["create: /address", "create: address", "write /address"],
  ["path: /mail", "path: mail", "write /mail"],
  ["body: { /kind:", "body: { kind:", "write /kind, a place in the body; constants of the body may stand in base"],
])("%s that is written as %s is one mistake, with the words to write", async (right, wrong, hint) => {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, contract.replace(right, wrong));
  const { diagnostics } = await loadContract(file);
  expect(diagnostics.map((each) => each.hint)).toEqual([hint]);
});
