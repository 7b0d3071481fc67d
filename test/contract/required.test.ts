import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { loadContract } from "../../src/contract/load-contract.ts";
import { layOver } from "../../src/contract/lay-over.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Json } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
const whole = builtIn as unknown as Json;

async function warningsWith(kind: string, field: string, value: Json) {
  const file = join(folder, "contract.yaml");
  writeFileSync(file, stringify(layOver(whole, { name: "other", kinds: { [kind]: { fields: { [field]: value } } } })));
  const { contract, warnings = [], diagnostics } = await loadContract(file);
  expect(diagnostics).toEqual([]);
  expect(contract).toBeDefined();
  return warnings;
}

const required = kinds.flatMap((kind) =>
  Object.entries(kind.fields).flatMap(([field, { required: isRequired }]) =>
    isRequired === true ? [[kind.name, field] as const] : [],
  ),
);

test.each([...required, ["dns_record", "priority"] as const])(
  "of %s, %s is missed where it is left out, and not where the API lacks it",
  async (kind, field) => {
    const [warning, ...others] = await warningsWith(kind, field, null);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ severity: "warning", code: "contract_incomplete" });
    expect(warning?.summary).toContain(`kinds.${kind}.fields has no entry for ${field}: `);
    expect(warning?.hint).toContain(`write ${field}: { at: /… }`);
    expect(await warningsWith(kind, field, { at: null, absent: true })).toEqual([]);
  },
);
