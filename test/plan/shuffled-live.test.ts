import fc from "fast-check";
import { expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { jsonText, type Json, type JsonObject } from "../../src/model/json.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { accountForFile } from "../support/account.ts";
import { account as drawnAccount, manifestText, nameOf, type Sections } from "../support/draw-account.ts";
import { forDraws } from "../support/for-draws.ts";
import { runInProcess } from "../support/run-hostform.ts";
import { buildInput, ours } from "./build-input.ts";
import { shuffleAll, told } from "./shuffle.ts";

/** The order of what has none (keys, sets, live records and what is in them) changes neither a plan nor its hash. */
const service = accountForFile();

type Change = (body: Json) => Json;

/** Reads the service once for each list, and changes what it answers. */
function readerThat(change: Change, kept: Map<string, Awaited<ReturnType<Reader["get"]>>>): Reader {
  return {
    get: async ({ path, query = {} }) => {
      const place = `${path}?${new URLSearchParams(query).toString()}`;
      const answer = kept.get(place) ?? (await ask(place));
      kept.set(place, answer);
      if (!answer.ok) return answer;
      return { ok: true, value: { ...answer.value, body: change(answer.value.body) } };
    },
  };
}

async function ask(place: string): Promise<Awaited<ReturnType<Reader["get"]>>> {
  const { status, body } = await service.byHand("GET", place);
  if (status === 404)
    return { ok: false, error: { sort: "not_found", method: "GET", path: place, message: "not found", attempts: 1 } };
  return {
    ok: true,
    value: { status, body: body as JsonObject, location: undefined, requestId: undefined, attempts: 1 },
  };
}

/** The same objects twice, some with other values: servers hold what they should not. */
const doubled =
  (seed: number): Change =>
  (body) => {
    const { data } = body as JsonObject;
    if (!Array.isArray(data)) return body;
    const more = (data as JsonObject[]).flatMap((item, index) =>
      (seed + index) % 4 === 0 && item["managed"] !== true
        ? [{ ...item, id: `${jsonText(item["id"])}x`, ...((seed + index) % 8 === 0 && { ttl: 77, comment: "twice" }) }]
        : [],
    );
    const all = [...data, ...more] as JsonObject[];
    return { ...(body as JsonObject), data: all, meta: { current_page: 1, per_page: 100, total: all.length } };
  };

const drawn = fc.record({
  before: drawnAccount,
  after: drawnAccount,
  exclusive: fc.boolean(),
  doubles: fc.option(fc.nat(7), { nil: undefined }),
  seed: fc.nat(),
});

const lifecycle = { prevent_destroy: true, ignore_changes: ["settings.php_version", "settings.backups"] };

/** The sections with certificates beside them, and the rules of collections. */
function withMore(sections: Sections, exclusive: boolean): Record<string, object> {
  const { mail, dns, services } = sections;
  const rules = exclusive ? { exclusive, ignore: ["z*", "x*"] } : {};
  return {
    ...sections,
    ...(dns && { dns: { NAME: { ...(dns["NAME"] as object), ...rules } } }),
    ...(mail && { mail: { NAME: { ...(mail["NAME"] as object), ...rules } } }),
    ...(services && { certificates: { NAME: [{ domains: ["www.NAME", "NAME"] }, { domains: ["c.NAME"] }] } }),
    ...(services && { services: { NAME: { ...(services["NAME"] as object), lifecycle } } }),
    policy: { protect: ["cron", "mail_alias"] },
    removed: ["cron/NAME/gone", "cron/NAME/weekly", "mailbox/gone@NAME"].map((address) => ({
      address,
      action: "delete",
    })),
  };
}

let number = 0;
test("a plan over all kinds is the same in whatever order a manifest writes and a server lists", () =>
  forDraws(60, drawn, async ({ before, after, exclusive, doubles, seed }) => {
    number += 1;
    const path = service.write(`m${number}.yaml`, manifestText(withMore(before, false), number));
    const applied = await runInProcess(service, ["apply", "-f", path, "--auto-approve", "--settle", "0"], {
      PW: "correct horse battery",
    });
    expect([0, 8], applied.stdout + applied.stderr).toContain(applied.status);
    const written = JSON.parse(manifestText(withMore(after, exclusive), number)) as Record<string, object>;
    const { version: _version, name: _name, ...wanted } = written;
    const kept = new Map<string, Awaited<ReturnType<Reader["get"]>>>();
    const held = ours(heldBy(JSON.parse(manifestText(before, number)) as Record<string, object>));
    const read = async (order: number | undefined) => {
      const shuffle = (value: Json): Json => (order === undefined ? value : (shuffleAll(value, order) as Json));
      const double = doubles === undefined ? (body: Json) => body : doubled(doubles);
      const sections = Object.entries(shuffle(wanted as Json) as object);
      const text = sections.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join("\n");
      const input = await buildInput(
        text,
        readerThat((body) => shuffle(double(body)), kept),
        {},
        0,
        held,
        {
          PW: "a password",
        },
      );
      return toldOf(input);
    };
    const first = await read(undefined);
    expect(await read(seed)).toEqual(first);
    expect(await read(seed + 7)).toEqual(first);
  }));

const toldOf = (input: PlanInput) => told(input, plan(input), false);

/** Some of the addresses that a manifest declares: those of crons and aliases, which are not protected by their kind. */
function heldBy(sections: Record<string, object>): string[] {
  const name = nameOf(number);
  const names = (section: string, list: string) =>
    Object.keys((sections[section] as Record<string, Record<string, object>> | undefined)?.[name]?.[list] ?? {});
  return [
    ...names("crons", "jobs").map((each) => `cron/${name}/${each}`),
    ...names("mail", "aliases").map((each) => `mail_alias/${each}@${name}`),
    ...names("mail", "mailboxes").map((each) => `mailbox/${each}@${name}`),
    ...names("databases", "users").map((each) => `database_user/${name}/${each}@localhost`),
  ];
}
