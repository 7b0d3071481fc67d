import { beforeAll, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { answerJson } from "../support/https-server.ts";
import { runHostform, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** A server that answers each request with an error of 500 KB. */
const account = accountForFile();
const front = frontForFile(account);
const text = "what the server says, ".repeat(25_000);
let answered: { readonly reads: boolean };
let file: string;
beforeAll(() => {
  file = account.write(
    "m.yaml",
    "version: 1\nname: huge\ndns: { huge.example: { records: { a: { A: 192.0.2.1 } } } }\n",
  );
  front.interfere(({ method }, response) => {
    if (method === "GET" && !answered.reads) return false;
    const body = { error: { code: text, message: text, fields: { content: [text] } }, request_id: text };
    return answerJson(response, 422, body);
  });
});

test.each<[command: string, reads: boolean, built: boolean, ...flags: string[]]>(
  size.every(9, [
    ["plan", true, true],
    ["plan", true, false, "--json"],
    ["plan", true, false, "--debug"],
    ["apply", true, false, "--auto-approve"],
    ["apply", false, true, "--auto-approve"],
    ["apply", false, false, "--auto-approve", "--json"],
    ["apply", false, true, "--auto-approve", "--debug"],
    ["status", true, false],
    ["why", true, false, "dns_zone/huge.example"],
    ["rehearse", true, false],
    ["doctor", true, true],
    ["doctor", true, false, "--json"],
    ["doctor", true, false, "--debug"],
  ]),
)("%s prints a small part of it (reads fail: %s, built program: %s)", async (command, reads, built, ...flags) => {
  answered = { reads };
  const args = [command, ...(command === "doctor" ? [] : ["-f", file]), ...flags];
  const ran = built
    ? await runHostform([...args, ...front.flags], { env: account.env })
    : await runInProcess(front, args, {}, virtualClock());
  const printed = ran.stdout + ran.stderr;
  expect([0, 1, null], printed.slice(0, 5000)).not.toContain(ran.status);
  // An event for each entry of the contract takes 30 KB by itself.
  expect(printed.length, printed.slice(0, 5000)).toBeLessThan(
    command === "doctor" && flags[0] === "--json" ? 45_000 : 20_000,
  );
});
