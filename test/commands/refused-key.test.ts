import { beforeAll, describe, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** An API that refuses a key with another status than 401: the commands say how the key was sent, and what to check. */
const account = accountForFile();
const front = frontForFile(account);
let refuses: (url: string) => number | undefined;
beforeAll(async () => {
  front.interfere(({ url = "" }, response) => {
    const status = refuses(url);
    if (status === undefined) return false;
    return answerJson(response, status, { message: "Invalid key" });
  });
});

async function run(...args: readonly string[]) {
  const auth = "{ header: X-Key, scheme: Token }";
  const contract = account.write(
    "other.yaml",
    `contract: 1\nextends: v2026\nname: other\nrequest: { auth: ${auth} }\n`,
  );
  const target = { flags: [...front.flags, "--contract", contract], env: account.env };
  const { stdout, stderr } = await runInProcess(target, args, {}, virtualClock());
  return stdout + stderr;
}
const manifest = () =>
  account.write(
    "m.yaml",
    "version: 1\nname: k\ndomains: { a.example: {} }\ndns: { a.example: { records: { www: { A: 192.0.2.1 } } } }\n",
  );

describe.each([400, 401, 403])("a key that is refused with %i", (status) => {
  test.each([["plan"], ["apply"], ["status"], ["snapshot"], ["import"], ["doctor"]])("%s", async (command) => {
    refuses = () => status;
    const files: Readonly<Record<string, readonly string[]>> = {
      plan: ["-f", manifest()],
      apply: ["-f", manifest(), "--auto-approve"],
      snapshot: ["--out", `${account.folder}/${status}.json`],
      import: [`${account.folder}/imported-${status}`],
    };
    const said = await run(command, ...(files[command] ?? []));
    expect(said).toMatch(/in the header X-Key after Token/u);
    expect(said).toMatch(/HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file/u);
    expect(said).toMatch(/request\.auth/u);
  });
});

test.each([403, 400])("a single list that is refused with %i says nothing of the key", async (status) => {
  refuses = (url) => (url.startsWith("/v2026/dns/") ? status : 500);
  expect(await run("plan", "-f", manifest())).not.toMatch(/X-Key/u);
});
