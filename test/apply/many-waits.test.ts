import { getEventListeners } from "node:events";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";

const account = accountForFile({ asyncMs: 300 });

test("many steps that wait side by side are no reason to warn of, and leave nothing behind that waits", async () => {
  const names = Array.from({ length: 16 }, (_, index) => `w${index}.example: { plan: WEB-M, datacenter: MAD1 }`);
  const file = account.write("m.yaml", `version: 1\nname: waits\nservices: { ${names.join(", ")} }\n`);
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on("warning", onWarning);
  const listening: number[] = [];
  let signal: AbortSignal | undefined;
  // However slowly the steps begin, none wakes before so many sleep.
  const mayWake = (stop?: AbortSignal) => !stop || Math.max(...listening) > 11;
  const sleep = async (milliseconds: number, stop?: AbortSignal) => {
    do {
      const sleeping = wait(milliseconds, undefined, { ...(stop && { signal: stop }) });
      signal = stop ?? signal;
      if (stop) listening.push(getEventListeners(stop, "abort").length);
      await sleeping;
    } while (!mayWake(stop));
  };
  const args = ["apply", "-f", file, "--auto-approve", "--parallelism", "16"];
  exits(0, await runInProcess(account, args, {}, { sleep }));
  await setImmediate();
  process.off("warning", onWarning);
  expect(warnings).toEqual([]);
  expect(Math.max(...listening), "they did wait side by side").toBeGreaterThan(11);
  expect(signal && getEventListeners(signal, "abort").length, "of the connection and of the planning").toBe(2);
});
