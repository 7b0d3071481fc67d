import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { refusalStatuses } from "../support/refusal-statuses.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { size } from "../proofs/size.ts";

/**
 * A write that is answered with any status, carried out or not, while lists lag behind, on a service that makes a second object of one
 * name: nothing is made twice, what is said to be done is done, and the advice fits.
 */
const clock = virtualClock();
const account = accountForFile({ lax: true }, clock.now);
const front = frontForFile(account);
let reset: () => void;
let inventoryThen: string;

const head = "version: 1\nname: statuses\n";
const services = "services: { a.example: { plan: WEB-M, datacenter: MAD1 } }\n";
const zone = (records: string) => `dns: { a.example: { records: { stays: { A: 192.0.2.9 }, ${records} } } }\n`;
const mail = (mailboxes: string) => `mail: { a.example: { mailboxes: { ${mailboxes} } } }\n`;
const old = "old: { A: 192.0.2.1 }";
const info = 'info: { quota: 1 GiB, password: "${env:PW}" }';
const before = `${head}${services}${zone(old)}${mail(info)}`;

interface Change {
  readonly manifest: string;
  readonly address: string;
  readonly method: "POST" | "PUT" | "DELETE";
  readonly path: RegExp;
  /** Whether it must not be sent again before someone has looked. */
  readonly once?: true;
  readonly consent?: string;
}
const records = /^\/v2026\/dns\/zones\/[^/]+\/records/u;
const mailboxes = /^\/v2026\/mail\/accounts/u;
const certificate: Change = {
  manifest: `${before}certificates: { a.example: [{ domains: [a.example] }] }\n`,
  address: "certificate/a.example/managed",
  method: "POST",
  path: /^\/v2026\/ssl\/certificates$/u,
  once: true,
};
const changes: readonly Change[] = [
  certificate,
  {
    manifest: `${before}domains: { b.example: { register: true } }\n`,
    address: "domain/b.example",
    method: "POST",
    path: /^\/v2026\/domains$/u,
    once: true,
    consent: "--allow-purchase",
  },
  {
    manifest: `${head}${services}${zone(`${old}, new: { A: 192.0.2.2 }`)}${mail(info)}`,
    address: "dns_record/a.example/new/A",
    method: "POST",
    path: records,
  },
  {
    manifest: `${head}${services}${zone(old)}${mail(`${info}, jo: { quota: 1 GiB, password: "\${env:PW}" }`)}`,
    address: "mailbox/jo@a.example",
    method: "POST",
    path: mailboxes,
  },
  {
    manifest: before.replace("192.0.2.1 }", "192.0.2.7 }"),
    address: "dns_record/a.example/old/A",
    method: "PUT",
    path: records,
  },
  { manifest: before.replace("1 GiB", "2 GiB"), address: "mailbox/info@a.example", method: "PUT", path: mailboxes },
  {
    manifest: `${head}${services}${zone("")}${mail(info)}`,
    address: "dns_record/a.example/old/A",
    method: "DELETE",
    path: records,
    consent: "--allow-delete",
  },
];

beforeAll(async () => {
  account.write("plain.yaml", "contract: 1\nname: plain\nextends: v2026\nrequest: { idempotency: null }\n");
  account.write("keyed.yaml", "contract: 1\nname: plain\nextends: v2026\n");
  exits(0, await apply(before, false));
  reset = account.mirror.keep();
  inventoryThen = readFileSync(inventory(), "utf8");
});

const journal = () => join(account.folder, "j");
const inventory = () => join(account.folder, "ours.json");

async function apply(manifest: string, isKeyed: boolean, ...flags: readonly string[]) {
  const args = ["apply", "-f", account.write("m.yaml", manifest), "--auto-approve", "--journal", journal()];
  const own = ["--inventory", inventory(), "--contract", join(account.folder, isKeyed ? "keyed.yaml" : "plain.yaml")];
  const ran = await runInProcess(front, [...args, ...own, ...flags], { PW: "correct horse" }, clock);
  return { ...ran, status: ran.status ?? -1, said: ran.stdout + ran.stderr };
}

const provesUndone = (status: number) => refusalStatuses.includes(status);
const isSuccess = (status: number) => status >= 200 && status < 300;

const trial = fc.record({
  change: fc.constantFrom(...changes),
  status: fc.oneof(
    fc.constantFrom(408, 423, 425, 460, 499, 405, 410, 501, 302, 207),
    fc.integer({ min: 200, max: 599 }),
    fc.integer({ min: 600, max: 999 }),
  ),
  isDone: fc.boolean(),
  lag: fc.constantFrom(0, 0, 8_000, 25_000),
  isKeyed: fc.boolean(),
  /** Whether each attempt of the first apply is answered so, or only one. */
  isLasting: fc.boolean(),
});

/** How often the service has carried out what was asked. */
const committed = async ({ method, path }: Change, since: number) =>
  (await account.operations())
    .slice(since)
    .filter((each) => each.method === method && path.test(each.path) && each.committed).length;

async function prepare(lag: number, method: string): Promise<number> {
  reset();
  rmSync(journal(), { force: true });
  writeFileSync(inventory(), inventoryThen);
  await account.byHand("DELETE", "/_emulator/faults");
  const faults = [{ match: { method }, fault: { stale_reads_ms: lag } }];
  if (lag > 0) expect((await account.byHand("POST", "/_emulator/faults", { faults })).status).toBe(201);
  return (await account.operations()).length;
}

test("a write that is answered with any status is sent once, reported with that status, and completed by the next apply", () =>
  forDraws(
    {
      numRuns: size.draws(48),
      examples: [408, 423, 425, 460, 499].map((status) => [
        { change: certificate, status, isDone: true, lag: 25_000 as const, isKeyed: true, isLasting: true },
      ]),
    },
    trial,
    async ({ change, status, isDone, lag, isKeyed, isLasting }) => {
      const { manifest, address, method, path, once } = change;
      const carriesOut = isSuccess(status) || (isDone && !provesUndone(status));
      const since = await prepare(lag, method);
      let left = isLasting ? 99 : 1;
      front.interfere(async (request, response, pass) => {
        if (request.method !== method || !path.test(request.url ?? "") || left === 0) return false;
        left -= 1;
        if (carriesOut) await pass();
        const text = [204, 205, 304].includes(status) ? "" : JSON.stringify({ message: "from a gateway" });
        response.writeHead(status, text === "" ? {} : { "content-type": "application/json" }).end(text);
        return true;
      });
      const flags = change.consent === undefined ? [] : [change.consent, address];
      const first = await apply(manifest, isKeyed, ...flags);
      front.interfere(() => false);
      const saysDone = new RegExp(`(?:created|updated|deleted)  ${address}`, "u").test(first.stdout);
      if (saysDone) expect(await committed(change, since), first.said).toBeGreaterThan(0);
      expect(first.said.includes("the API does not offer this")).toBe([405, 410, 501].includes(status) && !saysDone);
      let last = first;
      for (let nth = 2; ![0, 8].includes(last.status) && nth <= 5; nth += 1) {
        await clock.sleep(15_000);
        last = await apply(manifest, isKeyed, ...flags);
      }
      const times = await committed(change, since);
      const isOpen = once === true && !carriesOut && !provesUndone(status);
      expect([0, 8].includes(last.status), `${last.status}\n${first.said}\n${last.said}`).toBe(!isOpen);
      if (isOpen) expect([last.status, times], last.said).toEqual([6, 0]);
      else if (method === "POST") expect(times, first.said + last.said).toBe(1);
      else expect(times).toBeGreaterThan(0);
      if (method === "POST" && times > 0) expect(readFileSync(inventory(), "utf8")).toContain(address);
    },
  ));
