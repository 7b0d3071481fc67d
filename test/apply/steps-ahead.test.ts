import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { recordsIn } from "../support/sealed-lines.ts";

const domain = "ahead.example";
const names = Array.from({ length: 16 }, (_, index) => `r${index}`);
const account = accountForFile({ seed: { dns_zone: [{ name: domain }] } });
const front = frontForFile(account);

/** Applies records with four connections. Returns the most requests that were in the journal without an outcome, and the most steps that had started and not ended. */
async function applyRecords(records: Readonly<Record<string, string>>, isReached: (intents: number) => boolean) {
  const journal = join(account.folder, "journal.ndjson");
  const most = { requests: 0, intents: 0 };
  let [underWay, sent] = [0, 0];
  const countIntents = () => {
    const written = recordsIn(readFileSync(journal, "utf8"));
    const known = new Set(written.flatMap(({ type, n }) => (type === "outcome" ? [n] : [])));
    return written.filter(({ type, n }) => type === "intent" && !known.has(n)).length;
  };
  front.interfere(async (request, response, pass) => {
    if (request.method === "GET") return false;
    underWay += 1;
    most.requests = Math.max(most.requests, underWay);
    sent += 1;
    // The first answer has come: none of these four is given before the journal has the requests that follow.
    const isEnough = sent > 4 && sent <= 8 ? isReached : () => true;
    do {
      await setImmediate();
      most.intents = Math.max(most.intents, countIntents());
    } while (!isEnough(most.intents));
    const { status, headers, text } = await pass();
    underWay -= 1;
    response.writeHead(status, headers).end(text);
    return true;
  });
  const written = Object.entries(records).map(([name, content]) => `${name}: { ${content} }`);
  const file = account.write(
    "m.yaml",
    `version: 1\nname: ahead\ndns: { ${domain}: { records: { ${written.join(", ")} } } }\n`,
  );
  const kept = ["--journal", journal, "--inventory", join(account.folder, "inventory.json")];
  const args = ["apply", "-f", file, "--auto-approve", "--json", "--parallelism", "4", ...kept];
  const { status, stdout, stderr } = await runInProcess(front, args);
  expect(status, stdout + stderr).toBe(0);
  expect(most.requests).toBeLessThanOrEqual(4);
  let running = 0;
  const started = stdout
    .split("\n")
    .map((line) => (running += (changeBy.find(([type]) => line.includes(type)) ?? ["", 0])[1]));
  return { intents: most.intents, started: Math.max(...started) };
}

const changeBy = [
  [`"type":"step_start"`, 1],
  [`"type":"step_end"`, -1],
] as const;

const recordsOf = (content: string) => Object.fromEntries(names.map((name) => [name, content]));

test("the journal has the next requests while as many as there are connections are under way", async () => {
  const { intents, started } = await applyRecords(recordsOf("A: 192.0.2.1"), (each) => each === 10);
  expect(intents).toBe(10);
  // A step starts when its request is sent, not when it begins to wait for a connection; the next one may start before the last answer is read.
  expect(started).toBeGreaterThan(0);
  expect(started).toBeLessThanOrEqual(8);
});

test("no step begins before a connection is free for it if a name is without an answer meanwhile", async () => {
  const records = { ...recordsOf("A: 192.0.2.2"), r0: "CNAME: target.example.net." };
  expect((await applyRecords(records, () => true)).intents).toBeLessThanOrEqual(4);
});
