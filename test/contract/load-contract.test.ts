import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInContracts, loadContract } from "../../src/contract/load-contract.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test.each(builtInContracts)("the built-in contract %s is that of its file, without a mistake", async (name) => {
  const file = await loadContract(`schemas/contracts/${name}.yaml`);
  expect(file.diagnostics).toEqual([]);
  expect((await loadContract(name)).contract).toEqual(file.contract);
});

describe("a contract file", () => {
  test("that extends v2026 changes only what it says", async () => {
    const path = write(
      "extends.yaml",
      "contract: 1\nname: mine\nextends: v2026\nbase_path: /v3\nkinds: { cron: { operations: { delete: null } } }\n",
    );
    const { contract, diagnostics } = await loadContract(path);
    const { contract: base } = await loadContract(undefined);
    expect(diagnostics).toEqual([]);
    expect(contract?.name).toBe("mine");
    expect(contract?.base_path).toBe("/v3");
    expect(contract?.kinds["cron"]?.operations.delete).toBeUndefined();
    expect(contract?.kinds["cron"]?.operations.list).toEqual(base?.kinds["cron"]?.operations.list);
    expect(contract?.kinds["service"]).toEqual(base?.kinds["service"]);
  });

  test.each(["", "extends: v2026\n"])(
    "that takes usual rules away keeps what Hostform cannot do without (%j)",
    async (base) => {
      const nothing = "base_path: null\nrequest: { auth: { header: A }, headers: null }\n";
      const answer = "answer: { record: '', list: '', error: { message: /message }, rate_limit: null }\n";
      const paging = "paging: { page: page, size: size, max_size: 10 }\nkinds: {}\n";
      const path = write("nothing.yaml", `contract: 1\nname: mine\n${base}${nothing}${answer}${paging}`);
      const { contract, diagnostics } = await loadContract(path);
      expect(diagnostics).toEqual([]);
      expect(contract).toMatchObject({
        base_path: "",
        request: { headers: {} },
        answer: { rate_limit: { statuses: [429] } },
      });
    },
  );

  test("that is nested without end is refused in words", async () => {
    for (const open of ["[", "{a: "]) {
      const { diagnostics } = await loadContract(write("deep.yaml", open.repeat(20_000)));
      expect(diagnostics).toMatchObject([{ code: "contract_syntax", summary: "lists or maps are nested too deeply" }]);
      expect(diagnostics[0]).not.toHaveProperty("frame");
    }
  });

  test.each([
    ["that is missing", undefined, "contract_unreadable", 1],
    ["that is no YAML", "name: [", "contract_syntax", 1],
    ["that is a list", "- a", "contract_shape", 1],
    ["with an unknown key", "contract: 1\nname: mine\nextends: v2026\npagination: {}\n", "contract_invalid", 4],
    ["that extends what is not built in", "contract: 1\nname: mine\nextends: v1999\n", "unknown_contract", 3],
    [
      "with an entry for a kind that there is not",
      "contract: 1\nname: mine\nextends: v2026\nkinds:\n  crons: { fields: {}, operations: { list: { method: GET, path: /crons } } }\n",
      "contract_invalid",
      5,
    ],
    [
      "without an entry for a field of a kind that it changes",
      "contract: 1\nname: mine\nextends: v2026\nkinds:\n  cron:\n    fields: { email: null }\n",
      "contract_invalid",
      6,
    ],
    [
      "with a path whose parameter nothing fills",
      'contract: 1\nname: mine\nextends: v2026\nkinds:\n  cron:\n    operations:\n      list: { method: GET, path: "/crons/{tenant}" }\n',
      "contract_invalid",
      7,
    ],
  ])("%s is refused with its place", async (name, text, code, line) => {
    const path = text === undefined ? join(folder, "absent.yaml") : write(`${name.replaceAll(" ", "-")}.yaml`, text);
    const { contract, diagnostics } = await loadContract(path);
    expect(contract).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ severity: "error", code, at: { file: path, line } });
    if (code === "contract_syntax") expect(diagnostics[0]?.hint).toBe("fix the YAML");
  });

  test.each([
    ["pageing: {}", 'There is no key "pageing" in the contract', 'did you mean "paging"?'],
    ["basepath: /v3", 'There is no key "basepath" in the contract', 'did you mean "base_path"?'],
    [
      "kinds: { cron: { operations: { list: { method: GTE, path: /crons } } } }",
      'kinds > cron > operations > list > method is "GTE"',
      "did you mean GET?",
    ],
    ["base_path: 3", "base_path is 3", undefined],
    [
      "answer: { error: { codes: { slow_down: rate_limit } } }",
      'answer > error > codes > slow_down is "rate_limit"',
      "did you mean rate_limited?",
    ],
  ])("that says %s is refused with the found word, the expected one and the place", async (line, summary, hint) => {
    const path = write("wrong.yaml", `contract: 1\nname: mine\nextends: v2026\n${line}\n`);
    const { diagnostics } = await loadContract(path);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ summary, detail: expect.any(String), at: { file: path, line: 4 } });
    if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
    const [source, carets = ""] = diagnostics[0]?.frame?.split("\n") ?? [];
    expect(source).toBe(line);
    expect(carets.indexOf("^") + 1).toBe(diagnostics[0]?.at?.col);
  });
});

test("each contract in schemas/contracts is built in, holds no mistake, and can be extended", async () => {
  const contracts = "schemas/contracts";
  const names = readdirSync(contracts).map((file) => file.replace(".yaml", ""));
  expect(names.sort()).toEqual([...builtInContracts].sort());
  for (const name of names) {
    expect((await loadContract(join(contracts, `${name}.yaml`))).diagnostics).toEqual([]);
    expect((await loadContract(name)).contract?.name).toBe(name);
    const own = write("own.yaml", `extends: ${name}\nname: own\nbase_path: /elsewhere\n`);
    const { contract, diagnostics } = await loadContract(own);
    expect(diagnostics).toEqual([]);
    expect(contract).toMatchObject({ name: "own", base_path: "/elsewhere" });
  }
});
