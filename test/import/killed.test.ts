import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { openAccount, type Account } from "../support/account.ts";
import { exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";

/** Kills the process before the call of a number among those that make or rename something in a folder. */
const killAt = (number: number, folder: string) => {
  const code = `import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
let calls = 0;
for (const name of ["mkdirSync", "openSync", "renameSync"]) {
  const real = fs[name];
  fs[name] = (path, ...rest) => {
    const isChange = name !== "openSync" || (rest[0] & fs.constants.O_CREAT) !== 0;
    if (isChange && fs.realpathSync(".").concat("/", path).includes(${JSON.stringify(folder)})) calls += 1;
    if (calls === ${number}) process.kill(process.pid, "SIGKILL");
    return real(path, ...rest);
  };
}
syncBuiltinESMExports();`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

let account: Account;
let snapshot: string;
beforeAll(async () => {
  const names = ["a.example", "b.example"];
  const hosting = { hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" };
  account = await openAccount({
    seed: {
      service: names.map((domain) => ({ domain, ...hosting })),
      // What stands in one file refers to what stands in the other.
      domain: [
        { name: "a.example", service: "b.example" },
        { name: "b.example", service: "a.example" },
      ],
      dns_zone: names.map((name) => ({ name })),
      dns_record: names.map((zone) => ({ zone, name: "www", type: "CNAME", content: "a.example." })),
      mailbox: names.map((name) => ({ address: `info@${name}`, quota_mb: 1024 })),
    },
  });
  snapshot = join(account.folder, "live.json");
  exits(0, await runInProcess(account, ["snapshot", "--out", snapshot]));
});
afterAll(() => account.close());

const run = (...args: string[]) => runInProcess(noAccount, [...args, "--live", snapshot]);
const textsIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".yaml"))
    .map((name) => [name, readFileSync(join(folder, name), "utf8")]);

interface Killed {
  readonly args: readonly string[];
  readonly cwd: string;
}

/** Runs an import again and again, each time killed at a later change of a file, until it ends by itself. Returns how often it was killed. */
async function killAtEach({ args, cwd }: Killed, prepare: () => void, check: () => Promise<void>): Promise<number> {
  for (let call = 1; ; call += size.everyPlace) {
    prepare();
    const env = { NODE_OPTIONS: killAt(call, account.folder) };
    const { status, stderr } = await runHostform([...args, "--live", snapshot], { env, cwd });
    if (status !== null) {
      expect(status, stderr).toBe(0);
      return (call - 1) / size.everyPlace;
    }
    await check();
  }
}

describe("an import that is killed", () => {
  test.runIf(size.whole)(
    "leaves a new folder with all of its files, or without any, and the next import is as the first",
    async () => {
      const place = join(account.folder, "new");
      const whole = join(account.folder, "whole");
      expect((await run("import", whole)).status).toBe(0);
      const clear = () => rmSync(place, { recursive: true, force: true });
      const check = async () => {
        const isThere = readdirSync(account.folder).includes("new");
        if (isThere) expect(textsIn(place)).toEqual(textsIn(whole));
        else expect((await run("import", place)).status).toBe(0);
        expect(readdirSync(account.folder).filter((name) => name.startsWith("."))).toEqual([]);
      };
      expect(await killAtEach({ args: ["import", place], cwd: account.folder }, clear, check)).toBeGreaterThan(0);
    },
  );

  test.runIf(size.whole)(
    "leaves the working folder without the file that makes it a manifest, and the next import refuses it",
    async () => {
      const place = join(account.folder, "here");
      const clear = () => {
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
      };
      const check = async () => {
        const names = readdirSync(place);
        const isWhole = names.includes("hostform.yaml");
        if (isWhole) expect(textsIn(place)).toHaveLength(3);
        else expect((await runInProcess(noAccount, ["validate", "-f", place])).status).toBe(3);
        expect((await run("import", place)).status).toBe(names.length > 0 ? 3 : 0);
      };
      expect(await killAtEach({ args: ["import", "."], cwd: place }, clear, check)).toBeGreaterThan(0);
    },
  );

  test("leaves a manifest to which it adds valid, and the next import adds the rest", async () => {
    const [place, before, whole] = ["into", "before", "after"].map((name) => join(account.folder, name));
    if (place === undefined || before === undefined || whole === undefined) throw new Error("There are no names");
    expect((await run("import", before, "--only", "dns_zone/*")).status).toBe(0);
    cpSync(before, whole, { recursive: true });
    expect((await run("import", "--into", whole)).status).toBe(0);
    const prepare = () => {
      rmSync(place, { recursive: true, force: true });
      cpSync(before, place, { recursive: true });
    };
    const check = async () => {
      exits(0, await runInProcess(noAccount, ["validate", "-f", place]));
      const again = exits(0, await run("import", "--into", place));
      expect(again.stdout).toContain("No changes.");
      expect(textsIn(place)).toEqual(textsIn(whole));
      // The draft of the killed one is gone.
      expect(readdirSync(place).toSorted()).toEqual(readdirSync(whole).toSorted());
    };
    expect(
      await killAtEach({ args: ["import", "--into", place], cwd: account.folder }, prepare, check),
    ).toBeGreaterThan(0);
  });
});
