import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";

const program = fileURLToPath(new URL("../../dist/app/cli.cjs", import.meta.url));
/** The program `script` of util-linux runs a command in a terminal. */
const hasTerminal = spawnSync("script", ["--quiet", "--return", "--command", "true", "/dev/null"]).status === 0;

const account = accountForFile();

/** Runs an apply in a terminal, and answers its question. Returns all that it printed. */
async function answer(reply: string, file: string): Promise<string> {
  const command = [process.execPath, program, "apply", "-f", file, ...account.flags]
    .map((word) => `'${word}'`)
    .join(" ");
  const child = spawn("script", ["--quiet", "--return", "--command", command, "/dev/null"], {
    env: { ...process.env, ...account.env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => {
    const isAsked = printed.includes("is accepted: ");
    printed += data.toString();
    if (!isAsked && printed.includes("is accepted: ")) child.stdin.write(`${reply}\n`);
  });
  await once(child, "close");
  return printed;
}

test.skipIf(!hasTerminal)(
  "an apply asks in a terminal, also where its code was compiled in an earlier run",
  async () => {
    const file = account.write("m.yaml", "version: 1\nname: asked\ndomains: { a.example: {} }\n");
    const runs = [];
    for (const reply of ["no", "no", "no", "no", "yes"]) runs.push(await answer(reply, file));
    for (const printed of runs.slice(0, -1)) expect(printed).toContain("Cancelled. Nothing was changed.");
    expect(runs.at(-1)).toContain("Applied");
    expect(runs.join("")).not.toMatch(/warning|bug/iu);
  },
);
