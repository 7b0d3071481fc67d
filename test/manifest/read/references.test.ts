import { expect, test } from "vitest";
import { builtInContracts, loadContract } from "../../../src/contract/load-contract.ts";
import { addressOfParent } from "../../../src/kinds/derived/parents.ts";
import { kinds } from "../../../src/kinds/index.ts";
import { checkOffered } from "../../../src/manifest/read/check-offered.ts";
import { readDesired } from "../../../src/manifest/read/desired.ts";
import type { WrittenMap } from "../../../src/manifest/yaml/written.ts";
import { sampleKeys } from "../../support/generic-vendor.ts";
import { loadText } from "../load-text.ts";

const readable = kinds.flatMap((kind) =>
  Object.keys(kind.fields).flatMap((field) => (kind.fields[field]?.access === "read_only" ? [{ kind, field }] : [])),
);

/** The fields to which a reference is a mistake under a contract. */
async function refused(name: string) {
  const { contract } = await loadContract(name);
  const found: string[] = [];
  for (const { kind, field } of readable) {
    const address = addressOfParent({ kind: kind.name, key: sampleKeys[kind.name] ?? {} });
    const text = `version: 1\nname: x\ndns: { a.example: { records: { note: { TXT: "\${ref:${address}.${field}}" } } } }\n`;
    const { tree } = await loadText(text);
    const read = readDesired(tree as WrittenMap, () => ({ missing: "none" }), contract);
    const told = (contract ? checkOffered(read, contract) : []).filter(({ summary }) =>
      summary.includes(" refers to "),
    );
    if (told.length > 0) found.push(`${kind.name}.${field}`);
    for (const { code, summary } of told)
      expect([code, summary]).toEqual(["not_offered", expect.stringContaining(`${field} of ${address}`)]);
  }
  return { found, contract };
}

test.each(builtInContracts)(
  "a reference to a field that the contract %s does not have is a mistake, since an apply would wait for it, and no other is",
  async (name) => {
    const { found, contract } = await refused(name);
    const lacking = readable.filter(({ kind, field }) => contract?.kinds[kind.name]?.fields[field]?.at === undefined);
    expect(found).toEqual(lacking.map(({ kind, field }) => `${kind.name}.${field}`));
  },
);
