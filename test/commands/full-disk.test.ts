import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { cli } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

/** Every command that writes a file, on a disk that takes not one byte more: the system says so, and it is no bug of ours. */
const account = accountForFile({ seed: { dns_zone: [{ name: "a.example" }] } });
beforeAll(async () => {
  account.write("m.yaml", "version: 1\nname: full\ndns: { b.example: {} }\n");
  account.write("there.yaml", "version: 1\nname: there\n");
  account.write("z.zone", "$ORIGIN z.example.\n$TTL 300\n@ SOA ns h 1 2 3 4 5\nwww A 192.0.2.1\n");
  account.write("contract.yaml", "contract: 1\nname: mine\nextends: v2026\nbase_path: /v1\n");
});

/** Runs the built binary after a command of the shell. Pipes are no files, so that its output arrives where a file cannot grow. */
const run = (before: string, args: readonly string[]) =>
  new Promise<{ status: unknown; said: string }>((resolve) => {
    const env = { PATH: process.env["PATH"], ...account.env };
    const command = ["-c", `${before}; exec "$0" "$@"`, process.execPath, cli, ...args];
    const options = { cwd: account.folder, env, timeout: 30_000, killSignal: "SIGKILL" } as const;
    execFile("sh", command, options, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? error?.signal ?? 0, said: stdout + stderr }),
    );
  });

const offline = [
  "import new --from zone-file z.zone",
  "init new --domain c.example",
  "emulator --data s.db",
  "plan -f m.yaml --emulator-data s.db",
];
const online = [
  "import new",
  "import --into there.yaml",
  "init new --import",
  "snapshot --out live.json",
  "plan -f m.yaml --out plan.json",
  "plan -f m.yaml --undo-out undo.json",
  "plan -f m.yaml --html plan.html",
  "inventory -f m.yaml --inventory ours.json --adopt domain/a.example",
  "apply -f m.yaml --auto-approve",
];

test.each(
  size.every(12, [...offline.map((line) => [line, false] as const), ...online.map((line) => [line, true] as const)]),
)("%s", async (line, asksApi) => {
  const before = readdirSync(account.folder);
  const { status, said } = await run("ulimit -f 0", [...line.split(" "), ...(asksApi ? account.flags : [])]);
  expect([status, said]).toEqual([3, expect.not.stringMatching(/bug in Hostform|\n {4}at /u)]);
  expect(said).toContain("error[");
  expect(said).not.toContain("A path cannot be used");
  expect(readdirSync(account.folder).filter((name) => /new|live|plan|undo/u.test(name))).toEqual(
    before.filter((name) => /new|live|plan|undo/u.test(name)),
  );
});

test.runIf(existsSync("/dev/full"))("the output is said in words not to be written", async () => {
  const { status, said } = await run("exec >/dev/full", ["validate", "-f", "m.yaml"]);
  expect([status, said]).toEqual([1, "The output cannot be written: the disk is full\n"]);
});

/** The system makes no folder below this one, and says that what is to be made does not exist. */
test.runIf(existsSync("/proc/self")).each([
  ["import", "import /proc/none/new --from zone-file z.zone"],
  ["init", "init /proc/none/new --domain c.example"],
])("%s ends with 3 where no folder can be made", async (_command, line) => {
  const { status, said } = await run(":", line.split(" "));
  expect([status, said]).toEqual([3, expect.stringContaining("/proc/none")]);
});
