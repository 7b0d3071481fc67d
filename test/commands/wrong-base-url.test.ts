import { beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const account = accountForFile();
const front = frontForFile(account);
let manifest: string;
beforeAll(async () => {
  manifest = account.write(
    "m.yaml",
    "version: 1\nname: k\nservices: { a.example: {} }\nmail: { a.example: { settings: { catch_all: info@a.example }, mailboxes: { info: {} } } }\n",
  );
});

const run = (command: string, url: string) => {
  const files = command === "plan" ? ["-f", manifest] : [`${account.folder}/imported`];
  const flags = account.flags.filter((flag) => flag !== "--base-url" && flag !== account.baseUrl);
  return runInProcess({ flags, env: account.env }, [command, ...files, "--base-url", url]);
};

describe.each(["plan", "import"])("%s with a base URL", (command) => {
  test.each(["", "/", "///"])(
    "that ends in the contract's base path and %j says what to write, and asks nothing",
    async (end) => {
      const before = (await account.operations()).length;
      const { stderr } = exits(3, await run(command, `${account.baseUrl}/proxy/v2026${end}`));
      expect(stderr).toContain(`write ${account.baseUrl}/proxy: the contract v2026 adds /v2026`);
      expect(await account.operations()).toHaveLength(before);
    },
  );

  test("where no list is says that once, also of an account with a single object that may be absent", async () => {
    const { stdout, stderr } = exits(4, await run(command, `${account.baseUrl}/wrong`));
    expect(stderr).toContain("Check the base URL: the contract adds its own base path");
    expect(stdout + stderr).not.toContain("Refused");
  });
});

test.each([
  ["plan", "--show-unmanaged"],
  ["why", "service/b.example"],
])("lists that are all absent beside an empty one say nothing of the base URL (%s)", async (command, what) => {
  front.interfere(({ method, url = "" }, response) => {
    if (method !== "GET" || url.startsWith("/v2026/dns/zones?")) return false;
    answerJson(response, 404, {});
    return true;
  });
  const declared = account.write(
    "b.yaml",
    "version: 1\nname: k\ndns: { b.example: { records: { www: { A: 192.0.2.1 } } } }\n",
  );
  const { stdout, stderr } = await runInProcess(front, [command, what, "-f", declared]);
  expect(stdout + stderr).toMatch(/list.*\bservices?\b.*404/u);
  expect(stderr).not.toContain("base URL");
});

test.each([["status"], ["import", "whole"], ["plan", "--show-unmanaged"]])(
  "lists that are all absent below what was found say nothing of the base URL (%s)",
  async (command, ...rest) => {
    await account.byHand("POST", "/v2026/domains", { name: "b.example" });
    front.interfere(({ method, url = "" }, response) => {
      if (method !== "GET" || /^\/v2026\/(?:services|domains|dns\/zones)\?/u.test(url)) return false;
      answerJson(response, 404, {});
      return true;
    });
    const declared = account.write("b.yaml", "version: 1\nname: k\ndomains: { b.example: {} }\n");
    const args = command === "plan" ? [...rest, "-f", declared] : rest.map((name) => `${account.folder}/${name}`);
    const { stdout, stderr } = exits(6, await runInProcess(front, [command, ...args]));
    expect(stdout + stderr).toMatch(/list.* mailbox\/b\.example.*404/u);
    expect(stderr).not.toContain("base URL");
  },
);
