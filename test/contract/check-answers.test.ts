import { describe, expect, test } from "vitest";
import { rulesOf } from "../../src/contract/rules-of.ts";
import { contractFile } from "../support/contract-file.ts";

const own = contractFile();
const load = (text: string) => own.load(`contract: 1\nname: other\nextends: v2026\n${text}\n`);

test.each([
  ["paging: { style: offset, page: null }", /paging has the style offset and no page/u],
  ["paging: { style: cursor }", /paging has the style cursor and no next/u],
  ["paging: { max_size: null }", /paging has a size and no max_size/u],
  [
    "kinds: { cron: { paging: { style: cursor, page: after } } }",
    /kinds.cron.paging has the style cursor and no next/u,
  ],
  ["answer: { job: { statuses: null } }", /answer.job has neither statuses nor an id/u],
  ["answer: { job: { id: /action/id } }", /answer.job has an id and no path with \{job\} in it/u],
  ["kinds: { cron: { answer: { job: { path: '/{job}' } } } }", /cron.answer.job has a path and neither id nor ids/u],
  ["answer: { job: { done: null } }", /answer.job has neither done nor done_statuses/u],
  ["answer: { job: { status: null } }", /answer.job has words for a status and no status/u],
  [
    "kinds: { cron: { operations: { list: { detail: read }, read: null } } }",
    /list has detail: read, and there is no operation read/u,
  ],
  [
    "kinds: { cron: { id: null, operations: { list: { detail: read }, read: { path: /x }, update: null, delete: null } } }",
    /list has detail: read, and the kind has no id/u,
  ],
  ["kinds: { cron: { operations: { list: { keyed_by: '' } } } }", /list has an empty keyed_by/u],
  [
    "kinds: { cron: { operations: { list: { where: [{ pointer: /d, equals: ['{domain}'] }] } } } }",
    /list uses \{domain\}/u,
  ],
])("a contract with %s is refused at its line, with the reason", async (text, summary) => {
  const { contract, diagnostics } = await load(text);
  expect(contract).toBeUndefined();
  expect(diagnostics).toContainEqual(
    expect.objectContaining({
      code: "contract_invalid",
      summary: expect.stringMatching(summary),
      hint: expect.stringMatching(/^(?:write|take|one of|did you mean) ?.*/u),
      at: expect.objectContaining({ line: 4 }),
    }),
  );
});

describe("the rules for the answers of a kind", () => {
  const rulesFor = async (text: string, kind: string, operation?: "list") => {
    const { contract, diagnostics } = await load(text);
    if (!contract) throw new Error(JSON.stringify(diagnostics));
    return { contract, rules: rulesOf(contract, kind, operation) };
  };

  test("are the contract's where it has none of its own", async () => {
    const { contract, rules } = await rulesFor("paging: { page: page }", "cron", "list");
    expect(rules).toBe(contract);
  });

  test("are laid over the contract's key by key, and those of an operation over both", async () => {
    const text =
      "kinds: { cron: { answer: { record: /cron, error: { code: /why } }, operations: { list: { answer: { list: '' } } } } }";
    const { contract, rules } = await rulesFor(text, "cron", "list");
    const { error } = contract.answer;
    expect(rules.answer).toEqual({ ...contract.answer, record: "/cron", list: "", error: { ...error, code: "/why" } });
    expect(rulesOf(contract, "cron", "read").answer).toMatchObject({ record: "/cron", list: "/data" });
    expect(rulesOf(contract, "database")).toBe(contract);
  });

  test("take only the size of its pages over where a kind names its style, and one total in place of another", async () => {
    const other = await rulesFor("kinds: { cron: { paging: { style: offset, page: skip } } }", "cron");
    expect(other.rules.paging).toEqual({ style: "offset", page: "skip", size: "per_page", max_size: 100 });
    const none = await rulesFor("kinds: { cron: { paging: { style: none } } }", "cron");
    expect(none.rules.paging).toEqual({ style: "none" });
    const uncounted = await rulesFor("kinds: { cron: { paging: { style: page, page: page } } }", "cron");
    expect(uncounted.rules.paging).toEqual({ style: "page", page: "page", size: "per_page", max_size: 100 });
    const header = await rulesFor("kinds: { cron: { paging: { total_header: X-Total } } }", "cron");
    expect(header.rules.paging).toMatchObject({ page: "page", total_header: "X-Total" });
    expect(header.rules.paging).not.toHaveProperty("total");
  });
});
