import { join } from "node:path";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { unknownStatus } from "../../src/kinds/derived/unknown-status.ts";
import { kinds } from "../../src/kinds/index.ts";
import { accountForFile } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { frontForFile } from "../support/front.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";

/** A server whose objects have a state that nobody has told us of. */
const account = accountForFile({
  seed: {
    service: [{ domain: "a.example", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    domain: [{ name: "a.example", status: "active", expires_at: null }],
  },
});
const front = frontForFile(account);
let word = "active";
beforeAll(() =>
  front.interfere(async (request, response, pass) => {
    if (!/\/(services|mail\/accounts)/u.test(request.url ?? "")) return false;
    const { status, headers, text } = await pass();
    response
      .writeHead(status, headers)
      .end(text.replaceAll('"status":"active"', () => `"status":${JSON.stringify(word)}`));
    return true;
  }),
);

const known = ["active", "pending", "updating", "suspended", "deleting", "failed"];
const run = (...args: string[]) =>
  runInProcess(front, args, { PW: "correct horse battery" }, { sleep: async () => undefined });

let count = 0;
test("a status that is not known ends an apply that touched the object with 8, and is a notice elsewhere", async () => {
  const drawn = fc.oneof(
    fc.constantFrom("provisioning", "ACTIVE", "ok", "locked", ""),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  await forDraws(
    8,
    drawn.filter((each) => !known.includes(each)),
    async (status) => {
      word = status;
      count += 1;
      const box = `box${count}@a.example`;
      const manifest = account.write(
        "m.yaml",
        `version: 1\nname: states\nservices: { a.example: { plan: WEB-M } }\nmail: { a.example: { mailboxes: { box${count}: { password: "\${env:PW}" } } } }\n`,
      );
      const applied = exits(8, await run("apply", "-f", manifest, "--auto-approve", "--json"));
      const events = eventsOf(applied);
      expect(checkEvents(events)).toEqual([]);
      expect(events.some(({ type, address }) => type === "step_end" && address === `mailbox/${box}`)).toBe(true);
      const planned = exits(0, await run("plan", "-f", manifest, "--json"));
      const notices = eventsOf(planned).filter(({ code }) => code === "unknown_status");
      expect(notices).toHaveLength(1);
      expect(notices[0]).toMatchObject({ severity: "notice", summary: expect.stringContaining("service/a.example") });
      const rows = eventsOf(await run("status", "-f", manifest, "--json")).filter(({ type }) => type === "status");
      expect(rows.find(({ address }) => address === `mailbox/${box}`)).toMatchObject({ state: "pending", status });
      word = "active";
    },
  );
});

test.each(
  kinds.filter(({ fields }) => fields["status"]?.access === "read_only").map((kind) => [kind.name, kind] as const),
)("the status words of %s are known by the kind", (_, kind) => {
  expect(kind.readiness, `give ${kind.name} its readiness: what each status of the server means`).toBeDefined();
  expect(unknownStatus(kind, { status: "a-new-word" })).toBe("a-new-word");
});

test("a zone in a status that is not known ends the apply that made it with 8, and is a notice elsewhere", async () => {
  const manifest = account.write(
    "z.yaml",
    "version: 1\nname: zones\ndns: { z.example: { records: { www: { A: 192.0.2.1 } } } }\n",
  );
  front.interfere(async (request, response, pass) => {
    if (!(request.url ?? "").includes("/dns/zones")) return false;
    const { status, headers, text } = await pass();
    response.writeHead(status, headers).end(text.replaceAll('"status":"active"', '"status":"frozen"'));
    return true;
  });
  exits(8, await run("apply", "-f", manifest, "--auto-approve", "--json"));
  const planned = exits(0, await run("plan", "-f", manifest, "--json"));
  expect(eventsOf(planned).filter(({ code }) => code === "unknown_status")).toMatchObject([
    { severity: "notice", summary: expect.stringContaining("dns_zone/z.example") },
  ]);
});

const renaming = accountForFile({ namePrefix: "u123" });
const renamingFront = frontForFile(renaming);

test.each([
  ["as the manifest has it", account, front],
  ["after a prefix of its own", renaming, renamingFront],
] as const)(
  "where the server writes the name %s, each apply ends with 8 until the status is known",
  async (...given) => {
    const [, at, before] = given;
    const manifest = at.write(
      "d.yaml",
      "version: 1\nname: waits\nservices: { d.example: { plan: WEB-M, datacenter: MAD1 } }\ndatabases: { d.example: { databases: { shop: { engine: mariadb } } } }\n",
    );
    before.interfere(async (request, response, pass) => {
      if (!(request.url ?? "").includes("/databases")) return false;
      const { status, headers, text } = await pass();
      response.writeHead(status, headers).end(text.replaceAll('"status":"active"', '"status":"moving"'));
      return true;
    });
    const inventory = ["--inventory", join(at.folder, "d.json")];
    const apply = () =>
      runInProcess(before, ["apply", "-f", manifest, "--auto-approve", "--json", ...inventory], {}, virtualClock());
    exits(8, await apply());
    const again = exits(8, await apply());
    expect(eventsOf(again).filter(({ type }) => type === "pending")).toMatchObject([
      { address: "database/d.example/shop" },
    ]);
  },
);
