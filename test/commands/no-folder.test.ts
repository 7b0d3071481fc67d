import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { cli } from "../support/run-hostform.ts";

/** Commands that make folders, below one in which the system makes none and says that what is to be made does not exist. */
const account = accountForFile();

const run = (args: readonly string[]) =>
  new Promise<{ status: unknown; said: string }>((resolve) => {
    const options = {
      cwd: account.folder,
      env: { PATH: process.env["PATH"] },
      timeout: 10_000,
      killSignal: "SIGKILL",
    } as const;
    execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? error?.signal ?? 0, said: stdout + stderr }),
    );
  });

test.runIf(existsSync("/proc/self")).each([
  ["import", "import /proc/none/new --from zone-file z.zone"],
  ["init", "init /proc/none/new --domain c.example"],
])("%s ends with 3 where no folder can be made", async (_command, line) => {
  account.write("z.zone", "$ORIGIN z.example.\n$TTL 300\n@ SOA ns h 1 2 3 4 5\nwww A 192.0.2.1\n");
  const { status, said } = await run(line.split(" "));
  expect([status, said]).toEqual([3, expect.stringContaining("/proc/none")]);
});
