import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadContract } from "../../src/contract/load-contract.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

function load(auth: string, more = "") {
  const file = join(folder, "contract.yaml");
  writeFileSync(
    file,
    `contract: 1
name: alone
request: { auth: ${auth} }
answer: { record: "", list: "", error: { message: /why } }
paging: { style: none }
${more}kinds: { cron: { id: /id, params: { of: { id_of: service, key: { domain: service } } }, fields: { name: { at: /name } }, operations: { list: { method: GET, path: "/jobs" } } },
  service: { id: /id, fields: { domain: { at: /name } }, operations: { list: { method: GET, path: /sites } } } }
`,
  );
  return loadContract(file);
}

describe("a contract that stands alone", () => {
  test("has the usual rules where it says nothing: no path before each, no headers, 429 for a rate limit", async () => {
    const { contract, diagnostics } = await load("{ header: X-Token }");
    expect(diagnostics).toEqual([]);
    expect(contract).toMatchObject({
      base_path: "",
      request: { auth: { header: "X-Token" }, headers: {} },
      answer: { rate_limit: { statuses: [429] } },
    });
  });

  test("has its own rules where it says them", async () => {
    const { contract } = await load("{ headers: [X-Mail, X-Key] }", "base_path: /v1\n");
    expect(contract?.base_path).toBe("/v1");
  });

  test("is refused where no header carries the key", async () => {
    const { diagnostics } = await load("{ scheme: Bearer }");
    expect(diagnostics.map(({ at, summary }) => `${at?.line} ${summary}`)).toEqual([
      "3 request.auth names no header that carries the key",
    ]);
  });
});
