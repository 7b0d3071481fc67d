import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

/** A server that writes times in a form of its own. */
const account = accountForFile({
  seed: { domain: [{ name: "a.example", status: "active", expires_at: "2026-12-24T00:00:00Z" }] },
});
const front = frontForFile(account);
beforeAll(() =>
  front.interfere(async (request, response, pass) => {
    if (!/\/domains/u.test(request.url ?? "")) return false;
    const { status, headers, text } = await pass();
    response.writeHead(status, headers).end(text.replaceAll(/"expires_at":"[^"]*"/gu, '"expires_at":"24.12.2026"'));
    return true;
  }),
);

test("a time that cannot be read is shown, and may be near: --fail-on expiring does not let it pass", async () => {
  const { stdout } = exits(2, await runInProcess(front, ["status", "--fail-on", "expiring:30d"]));
  expect(stdout).toMatch(/domain\/a\.example +active +24\.12\.2026/u);
  exits(0, await runInProcess(front, ["status", "--fail-on", "pending,failed"]));
});
