import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindKind } from "../../src/contract/bound-kind.ts";
import { kinds } from "../../src/kinds/index.ts";
import { redactRecord } from "../../src/live/write-snapshot.ts";
import { parseSnapshot } from "../../src/live/read-snapshot.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { setPointer } from "../../src/model/json-pointer.ts";
import { size } from "../proofs/size.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const open = { fields: new Set<string>(), mask: (text: string) => text };
const redact = (kind: string, raw: JsonObject, secrecy = open) => redactRecord(bindKind(builtIn, kind), raw, secrecy);

describe("the command of a cron", () => {
  test.each([
    "php bin/backup.php",
    "/usr/local/bin/php8.3 /home/u123/www/shop.example/artisan schedule:run --no-interaction",
    "cp -a /www/shop /backup/shop-daily",
    "curl -fsS https://shop.example/wp-cron.php?doing_wp_cron",
    "find /tmp -mtime +7 -delete",
  ])("is kept: %s", (command) => {
    expect(redact("cron", { id: "c", command })).toEqual({ record: { id: "c", command }, redacted: [] });
  });

  test.each([
    "curl https://ping.example/?token=abc",
    "curl https://user:pw@ping.example/",
    "curl -u admin:pw https://ping.example/",
    "curl -H 'Authorization: Bearer abc' https://ping.example/",
    "curl -fsS https://hc-ping.example/0c5a2e4e-5b1f-4f0a-9a0e-1d2c3b4a5968",
    "curl https://hooks.example/services/T0AB1CD2EF3GH4IJ5KL6",
    "DB_PASSWORD=abc php run.php",
    "PGPASSWORD=abc pg_dump shop",
    "mysqldump -pabc shop",
    "mysqldump --password=abc shop",
    "sshpass -p abc ssh host",
    "API_KEY=abc php run.php",
    "php run.php --secret abc",
  ])("is left out: %s", (command) => {
    expect(redact("cron", { id: "c", command })).toEqual({ record: { id: "c" }, redacted: ["command"] });
  });

  test.runIf(size.whole)(
    "is looked at in linear time, whatever it is: one of a million characters before the test's time is over",
    () => {
      for (const text of ["pass", "a://", "?a", " -u ", "key  ", "-----BEGIN "])
        expect(redact("cron", { id: "c", command: text.repeat(200_000) })).toBeDefined();
    },
  );
});

test("published records are kept as they are, whatever they look like", () => {
  const content = '"v=DKIM1; k=rsa; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7 token=abc"';
  const raw = { id: "r", name: "sel", type: "TXT", content };
  expect(redact("dns_record", raw)).toEqual({ record: raw, redacted: [] });
});

test("write-only fields never stay, even where a server repeats them", () => {
  for (const kind of kinds) {
    const writeOnly = Object.keys(kind.fields).filter((name) => kind.fields[name]?.access === "write_only");
    for (const name of writeOnly) {
      const at = builtIn.kinds[kind.name]?.fields[name]?.at ?? "";
      const { record, redacted } = redact(kind.name, setPointer({ id: "x" }, at, "told"));
      expect(JSON.stringify(record), `${kind.name}.${name}`).not.toContain("told");
      expect(redacted).toContain(name);
    }
  }
});

test("what the contract does not name is left out, since it may be anything", () => {
  const raw = { id: "m", address: "a@b.example", password_hash: "$2y$10$x", internal: { token: "t" } };
  expect(redact("mailbox", raw).record).toEqual({ id: "m", address: "a@b.example" });
});

test.each([
  ["a private key in any text", { subject: "-----BEGIN RSA PRIVATE KEY-----\nMIIE" }],
  ["what stands under a telling key", { subject: [{ api_key: "x" }] }],
])("%s is left out", (_name, { subject }) => {
  expect(redact("mail_settings", { autoresponder: { subject, message: "away" } })).toEqual({
    record: { autoresponder: { message: "away" } },
    redacted: ["autoresponder.subject"],
  });
});

test("a secret of the run is left out wherever it stands, in any spelling of JSON", async () => {
  const text = fc.string({ minLength: 6, maxLength: 12 });
  await forDraws({ numRuns: 200 }, fc.constantFrom(...kinds), text, text, fc.nat(), (kind, secret, around, pick) => {
    const pointers = Object.values(builtIn.kinds[kind.name]?.fields ?? {}).map(({ at }) => at);
    const at = pointers[pick % pointers.length] ?? "";
    const raw = setPointer({ id: "x" }, at, `${around}${secret}`);
    const mask = (whole: string) =>
      [secret, JSON.stringify(secret).slice(1, -1)].reduce((masked, form) => masked.replaceAll(form, "***"), whole);
    const { record, redacted } = redact(kind.name, raw, { fields: new Set(), mask });
    expect(JSON.stringify(record)).not.toContain(JSON.stringify(secret).slice(1, -1));
    expect(redacted.length).toBeGreaterThan(0);
  });
});

test("no text at all breaks the reader", async () => {
  const json = fc.json().map((value) => `{"snapshot":1,"target":${value},"collections":[${value}]}`);
  await forDraws({ numRuns: 300 }, fc.oneof(fc.string(), fc.json(), json), (text) => {
    expect(parseSnapshot(text).ok).toBe(false);
  });
});
