import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { readOperations } from "../../src/emulator/index.ts";
import { openApi } from "./open-api.ts";
import { folderForTest } from "../support/temporary-folder.ts";

/** Node 20 runs no TypeScript: the child runs what the build made of the sources (`npm test` builds first). */
const built = new URL("../../dist/emulator/index.js", import.meta.url);

const script = `
  const { startEmulator } = await import(${JSON.stringify(built.href)});
  const { randomBytes } = await import("node:crypto");
  const emulator = await startEmulator({ dataFile: process.argv[1], key: "k" }, { now: Date.now, random: randomBytes });
  process.send({ baseUrl: emulator.baseUrl, caPem: emulator.caPem });
`;

async function startChild(dataFile: string): Promise<{ child: ChildProcess; baseUrl: string; caPem: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", script, dataFile], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [message] = (await once(child, "message")) as [{ baseUrl: string; caPem: string }];
  return { child, ...message };
}

test("what was answered is there after the process was killed, in the middle of writing", async () => {
  expect(existsSync(built), "run `npm run build` first").toBe(true);
  const folder = folderForTest();
  const dataFile = join(folder, "data.db");
  const { child, baseUrl, caPem } = await startChild(dataFile);
  const agent = new Agent({ connect: { ca: caPem } });
  onTestFinished(() => agent.destroy());
  const answered: string[] = [];
  const write = async (name: string): Promise<void> => {
    const { statusCode, body } = await request(`${baseUrl}/v2026/dns/zones`, {
      method: "POST",
      dispatcher: agent,
      headers: { authorization: "Bearer k", "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    await body.dump();
    if (statusCode === 201) answered.push(name);
    if (answered.length === 150) child.kill("SIGKILL");
  };
  await Promise.allSettled(Array.from({ length: 300 }, (_, index) => write(`z${index}.test`)));
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  expect(child.signalCode).toBe("SIGKILL");
  const { call } = await openApi({ dataFile, key: "k", perPageMax: 1000 });
  const names = new Set((await call("GET", "/v2026/dns/zones?per_page=1000")).items.map((zone) => zone["name"]));
  expect(answered.length).toBeGreaterThanOrEqual(150);
  expect(answered.filter((name) => !names.has(name))).toEqual([]);
  const logged = [...readOperations(dataFile)].filter(({ method, status }) => method === "POST" && status === 201);
  expect(logged).toHaveLength(names.size);
});
