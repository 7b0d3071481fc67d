import fc from "fast-check";
import { format, inspect } from "node:util";
import { expect, test } from "vitest";
import { jsonText, type Json, type JsonObject } from "../../src/model/json.ts";
import type { Desired, Fields } from "../../src/model/resource.ts";
import type { SavedBody } from "../../src/model/saved-plan.ts";
import { openSecret, sealSecret } from "../../src/model/secret.ts";
import { templateText, writtenValueText } from "../../src/model/template-text.ts";
import { plan } from "../../src/plan/plan.ts";
import { showValue } from "../../src/plan/shown.ts";
import { saveResource } from "../../src/saved-plans/portable-desired.ts";
import { buildInput, inZone, record, service } from "../plan/build-input.ts";
import { size } from "../proofs/size.ts";
import { forDraws } from "../support/for-draws.ts";

const secret = sealSecret("correct horse battery");
const sealed = { is: "secret", secret } as const;

/** Never called: `npm run check:types` fails where one of these lines compiles. */
export function showSecrets(): void {
  // @ts-expect-error A secret is no JSON, so it is not shown,
  showValue(secret);
  // @ts-expect-error nor is a desired value of any sort, before its own function takes it apart,
  showValue(sealed);
  // @ts-expect-error nor printed in a message,
  jsonText(secret);
  // @ts-expect-error nor as the manifest writes it,
  writtenValueText(secret);
  // @ts-expect-error nor as a part of a template,
  templateText([secret]);
  // @ts-expect-error nor hashed with a plan, or saved in its file,
  const saved: SavedBody = { fields: { password: secret }, late: {} };
  // @ts-expect-error nor a field of a live object or of the journal,
  const live: Fields = { password: secret };
  // @ts-expect-error nor any JSON,
  const json: Json = [sealed];
  // @ts-expect-error and it is no text.
  const text: string = secret;
  format(json, text, saved, live);
}

test("a secret is a mask in every text, and its value comes out in one way only", () => {
  const texts = [
    JSON.stringify({ secret }),
    String(secret),
    secret.toString(),
    format("%s %o %j", secret, secret, secret),
  ];
  for (const text of [
    ...texts,
    inspect(secret, { showHidden: true, depth: 9 }),
    JSON.stringify(Object.entries(secret)),
  ])
    expect(text).not.toContain("horse");
  expect(JSON.stringify({ secret })).toBe('{"secret":"(sensitive)"}');
  expect(Object.keys(secret)).toEqual([]);
  expect(openSecret(secret)).toBe("correct horse battery");
});

const numRuns = size.recordForms;
const sentinel = "s3ntinel";
// Long enough to be told from anything else, with what JSON, YAML and URLs escape.
const secrets = fc
  .string({ minLength: 1, maxLength: 12, unit: fc.constantFrom("a", "Z", "9", " ", "/", "%", "ä", "'") })
  .map((rest) => sentinel + rest);
const sources = fc.constantFrom("plain", "env", "text");

test("no JSON of what is desired, planned or saved holds a secret, wherever it stands and however it is given", () =>
  forDraws({ numRuns }, secrets, sources, sources, fc.boolean(), async (value, password, content, isLive) => {
    const spell = (source: string) =>
      JSON.stringify(source === "plain" ? value : source === "env" ? "${env:S}" : "before ${env:S} after");
    // A value that stands in the open in a field that is not secret is none.
    const open = content === "plain" ? '"open"' : spell(content);
    const manifest = [
      "services: { example.com: {} }",
      `mail: { example.com: { mailboxes: { info: { password: ${spell(password)} } } } }`,
      `crons: { example.com: { jobs: { nightly: { schedule: 0 1 * * *, command: ${open} } } } }`,
      `dns: { example.com: { records: { www: { TXT: ${open} } } } }`,
    ].join("\n");
    const live: Record<string, JsonObject[]> = isLive
      ? { "/services": [service], ...inZone(record("www", "TXT", '"old"')) }
      : {};
    const input = await buildInput(manifest, live, {}, undefined, {}, { S: value });
    const resources = [...input.desired.resources.values()];
    const texts = [jsonOf(input.desired), JSON.stringify(plan(input)), JSON.stringify(resources.map(saveResource))];
    for (const text of texts) expect(text).not.toContain(sentinel);
    expect(texts[0]).toContain("(sensitive)");
  }));

const jsonOf = ({ resources, ...rest }: Desired) => JSON.stringify({ ...rest, resources: [...resources.values()] });
