import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { wholeAccount } from "../kinds/samples.ts";
import { openAccount } from "../support/account.ts";
import { manifestText } from "../support/draw-account.ts";
import { eventsOf, runInProcess } from "../support/run-hostform.ts";
import { shapes, type ShapeName } from "../support/shapes.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
const secrets = { FIRST_PASSWORD: "some-password-1" };

test.each(["bare", "sets", "nested"] satisfies ShapeName[])(
  "with the contract %s, a list holds the objects of its own domain, zone or service alone",
  async (shape) => {
    const contract = join(folder, `${shape}.yaml`);
    writeFileSync(contract, JSON.stringify(shapes[shape].contract));
    const opened = await openAccount({ contract, manner: shapes[shape].manner });
    const key = opened.env["HOSTFORM_API_KEY"] ?? "";
    const account = { ...opened, env: { HOSTFORM_API_KEY: shape === "sets" ? `me@example.com:${key}` : key } };
    onTestFinished(account.close);
    const files = [1, 2].map((number) => account.write(`${number}.yaml`, manifestText(wholeAccount(), number)));
    const args = [...files.flatMap((file) => ["-f", file]), "--inventory", join(account.folder, "inventory.json")];
    const run = (...more: string[]) => runInProcess(account, [...more, ...args, "--json"], secrets);
    const applied = await run("apply", "--auto-approve");
    const planned = await run("plan", "--detailed-exitcode");
    const incomplete = eventsOf(planned).flatMap(({ type, reason }) => (type === "incomplete" ? [reason] : []));
    expect(incomplete, "give a new kind its owner in src/emulator/contract/account.ts").toEqual([]);
    expect([applied.status, planned.status], applied.stdout + planned.stdout).toEqual([0, 0]);
  },
);
