import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { layOver } from "../../src/contract/lay-over.ts";
import { builtInContracts, loadContract } from "../../src/contract/load-contract.ts";
import { kinds } from "../../src/kinds/index.ts";
import type { Json } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { contractFile } from "../support/contract-file.ts";

const { file, load } = contractFile();
const whole = builtIn as unknown as Json;

describe("a contract file", () => {
  test("that extends v2026 changes only what it says", async () => {
    const { contract, diagnostics } = await load(
      "contract: 1\nname: mine\nextends: v2026\nbase_path: /v3\nkinds: { cron: { operations: { delete: null } } }\n",
    );
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
      const { contract, diagnostics } = await load(`contract: 1\nname: mine\n${base}${nothing}${answer}${paging}`);
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
      const { diagnostics } = await load(open.repeat(20_000));
      expect(diagnostics).toMatchObject([{ code: "contract_syntax", summary: "lists or maps are nested too deeply" }]);
      expect(diagnostics[0]).not.toHaveProperty("frame");
    }
  });

  test.each([
    ["that is missing", undefined, "contract_unreadable", 1],
    ["that is no YAML", "name: [", "contract_syntax", 1],
    ["with a key that is indented below a value", "contract: 1\nname: mine\n  extends: v2026\n", "contract_syntax", 3],
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
  ])("%s is refused with its place", async (_, text, code, line) => {
    rmSync(file, { force: true });
    const { contract, diagnostics } = await (text === undefined ? loadContract(file) : load(text));
    expect(contract).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ severity: "error", code, at: { file, line } });
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
      "kinds: { dnssec: { fields: { algorithm: { values: [8] } } } }",
      "kinds > dnssec > fields > algorithm > values > 0 is 8",
      'write "8", in quotes',
    ],
    [
      "answer: { error: { codes: { slow_down: rate_limit } } }",
      'answer > error > codes > slow_down is "rate_limit"',
      "did you mean rate_limited?",
    ],
  ])("that says %s is refused with the found word, the expected one and the place", async (line, summary, hint) => {
    const { diagnostics } = await load(`contract: 1\nname: mine\nextends: v2026\n${line}\n`);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ summary, detail: expect.any(String), at: { file, line: 4 } });
    if (hint !== undefined) expect(diagnostics[0]?.hint).toBe(hint);
    const [source, carets = ""] = diagnostics[0]?.frame?.split("\n") ?? [];
    expect(source).toBe(line);
    expect(carets.indexOf("^") + 1).toBe(diagnostics[0]?.at?.col);
  });

  test.each([
    ["base_path: 31 # not a text", "^^"],
    ["base_path: [31,\n  32]", "^^^^"],
  ])("that says %j is marked to the end of the value, or of the line", async (line, carets) => {
    const { diagnostics } = await load(`contract: 1\nname: mine\nextends: v2026\n${line}\n`);
    expect(diagnostics[0]?.frame?.split("\n")[1]?.trim()).toBe(carets);
  });

  test("has its carets in place behind and below wide characters", async () => {
    const line = "kinds: { cron: { fields: { command: { at: /日本, max_lenth: 3 } } } }";
    const { diagnostics } = await load(`contract: 1\nname: mine\nextends: v2026\n${line}\n`);
    expect(diagnostics[0]?.frame?.split("\n")).toEqual([line, `${" ".repeat(49)}${"^".repeat(9)}`]);
    const marked = await load("contract: 1\nname: mine\nextends: v2026\nkinds: { 日本: {} }\n");
    expect(marked.diagnostics.at(-1)?.frame?.split("\n")).toEqual(["kinds: { 日本: {} }", `${" ".repeat(9)}^^^^`]);
  });
});

test("each contract in schemas/contracts is built in as it stands there, holds no mistake, and can be extended", async () => {
  const contracts = "schemas/contracts";
  const names = readdirSync(contracts).map((file) => file.replace(".yaml", ""));
  expect(names.sort()).toEqual([...builtInContracts].sort());
  for (const name of names) {
    const ofFile = await loadContract(join(contracts, `${name}.yaml`));
    expect(ofFile.diagnostics).toEqual([]);
    expect(ofFile.contract?.name).toBe(name);
    expect((await loadContract(name)).contract).toEqual(ofFile.contract);
    const { contract, diagnostics } = await load(`extends: ${name}\nname: own\nbase_path: /elsewhere\n`);
    expect(diagnostics).toEqual([]);
    expect(contract).toMatchObject({ name: "own", base_path: "/elsewhere" });
  }
});

describe("a contract that stands alone", () => {
  const alone = (auth: string, more = "") =>
    load(`contract: 1
name: alone
request: { auth: ${auth} }
answer: { record: "", list: "", error: { message: /why } }
paging: { style: none }
${more}kinds: { cron: { id: /id, params: { of: { id_of: service, key: { domain: service } } }, fields: { name: { at: /name } }, operations: { list: { method: GET, path: "/jobs" } } },
  service: { id: /id, fields: { domain: { at: /name } }, operations: { list: { method: GET, path: /sites } } } }
`);

  test("has the usual rules where it says nothing: no path before each, no headers, 429 for a rate limit", async () => {
    const { contract, diagnostics } = await alone("{ header: X-Token }");
    expect(diagnostics).toEqual([]);
    expect(contract).toMatchObject({
      base_path: "",
      request: { auth: { header: "X-Token" }, headers: {} },
      answer: { rate_limit: { statuses: [429] } },
    });
  });

  test("has its own rules where it says them", async () => {
    const { contract } = await alone("{ headers: [X-Mail, X-Key] }", "base_path: /v1\n");
    expect(contract?.base_path).toBe("/v1");
  });

  test("is refused where no header carries the key", async () => {
    const { diagnostics } = await alone("{ scheme: Bearer }");
    expect(diagnostics.map(({ at, summary }) => `${at?.line} ${summary}`)).toEqual([
      "3 request.auth names no header that carries the key",
    ]);
  });
});

const required = kinds.flatMap((kind) =>
  Object.entries(kind.fields).flatMap(([field, { required: isRequired }]) =>
    isRequired === true ? [[kind.name, field] as const] : [],
  ),
);

test.each([...required, ["dns_record", "priority"] as const])(
  "of %s, %s is missed where it is left out, and not where the API lacks it",
  async (kind, field) => {
    const warningsWith = async (value: Json) => {
      const change = { name: "other", kinds: { [kind]: { fields: { [field]: value } } } };
      const { contract, warnings = [], diagnostics } = await load(stringify(layOver(whole, change)));
      expect(diagnostics).toEqual([]);
      expect(contract).toBeDefined();
      return warnings;
    };
    const [warning, ...others] = await warningsWith(null);
    expect(others).toEqual([]);
    expect(warning).toMatchObject({ severity: "warning", code: "contract_incomplete" });
    expect(warning?.summary).toContain(`kinds.${kind}.fields has no entry for ${field}: `);
    expect(warning?.hint).toContain(`write ${field}: { at: /… }`);
    expect(await warningsWith({ at: null, absent: true })).toEqual([]);
  },
);
