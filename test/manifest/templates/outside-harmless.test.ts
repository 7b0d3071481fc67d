import fc from "fast-check";
import { expect, test } from "vitest";
import type { Desired } from "../../../src/model/resource.ts";
import { bodies, load, type Loaded } from "./load-templates.ts";
import { forDraws } from "../../support/for-draws.ts";

/** Places of a manifest by name, each with a value that may stand there. `<NAME>` stands for it below. */
const slots: Readonly<Record<string, unknown>> = {
  DOMAIN: "a.example",
  RECORD: "www",
  TYPE: "A",
  TTL: 300,
  ADDRESS: "192.0.2.1",
  TEXT: "v=spf1 mx -all",
  PART: "mx",
  BOX: "info",
  QUOTA: "2 GiB",
  EXCLUSIVE: true,
  IGNORE: "legacy-*",
  IGNORED: ["old-*"],
  PREVENT: true,
  CHANGES: "quota",
  SERVICE: "a.example",
  NAMES: ["a.example", "www.a.example"],
  NAME: "b.example",
  CERT: "managed",
  JOB: "nightly",
  COMMAND: "php run.php",
  DATABASE: "blog",
  GRANT: "all",
  ENV: "MAIL",
  REF: "a.example",
  ENABLED: true,
  EACH: ["x.example", "y.example"],
};

const sections = `services: { a.example: { lifecycle: { prevent_destroy: "<PREVENT>" } }, b.example: {} }
domains: { "<DOMAIN>": { service: "<SERVICE>" }, www.a.example: {}, b.example: {} }
dns:
  "<DOMAIN>":
    exclusive: "<EXCLUSIVE>"
    ignore: "<IGNORED>"
    ttl: "<TTL>"
    records:
      "<RECORD>": { "<TYPE>": "<ADDRESS>" }
      s: { TXT: "<TEXT>" }
      t: { TXT: "v=spf1 <PART> -all" }
mail:
  "<DOMAIN>":
    ignore: ["<IGNORE>"]
    mailboxes: { "<BOX>": { quota: "<QUOTA>", password: "\${env:PASSWORD}", lifecycle: { ignore_changes: ["<CHANGES>"] } } }
    settings: { dkim: { enabled: "<ENABLED>" } }
crons:
  a.example: { jobs: { "<JOB>": { schedule: "0 3 * * *", command: "<COMMAND> \${env:<ENV>_X} \${ref:database/<REF>/shop.host}" } } }
databases:
  a.example: { databases: { "<DATABASE>": { engine: mariadb }, shop: {} }, users: { u: { grants: { "<DATABASE>": "<GRANT>" } } } }
  b.example: { databases: { shop: { engine: mariadb } } }
certificates:
  a.example: [{ domains: "<NAMES>", type: "<CERT>" }, { domains: ["<NAME>"] }]
`;

const hostile = [
  "",
  "$",
  "{env:HOME}",
  "${env:HOME}",
  "$${x}",
  "__proto__",
  "b.example",
  "c.example",
  "AAAA",
  "*",
  "a\nb: c",
];
const given = fc.oneof(
  fc.constantFrom(...hostile),
  fc.constantFrom("60", "false", "true", "[b.example]", "[a.example, c.example]", "uploaded", "read_only", "4 GiB"),
);

/** Other values that fit their place, where one from outside may stand. */
const fitting: Readonly<Record<string, string>> = {
  TTL: "60",
  ADDRESS: "192.0.2.9",
  TEXT: "hello",
  PART: "a",
  QUOTA: "4 GiB",
  COMMAND: "other",
  ENABLED: "false",
  GRANT: "read_only",
};

interface Drawn {
  readonly slot: string;
  readonly through: "variable" | "parameter" | "part" | "both";
  readonly value: string;
  readonly way: "flag" | "file" | "environment";
}

const draw = (names: readonly string[], fits: fc.Arbitrary<boolean>): fc.Arbitrary<readonly Drawn[]> =>
  fc
    .uniqueArray(
      fc.record({
        slot: fc.constantFrom(...names),
        through: fc.constantFrom("variable", "parameter", "part", "both"),
        value: given,
        fits,
        way: fc.constantFrom("flag", "file", "environment"),
      }),
      { minLength: 1, maxLength: 4, selector: ({ slot }) => slot },
    )
    .map((all) => all.map((each) => ({ ...each, value: each.fits ? (fitting[each.slot] ?? each.value) : each.value })));

/** Values anywhere, of which most are refused, and values that fit where they stand, of which most are taken. */
const drawn = fc.oneof(draw(Object.keys(slots), fc.boolean()), draw(Object.keys(fitting), fc.constant(true)));

const quoted = (value: unknown) => JSON.stringify(value);

/** Writes the manifest with variables in the drawn places, directly or through a parameter of a template. */
function write(choices: readonly Drawn[]): string {
  let body = sections;
  const through = new Map(choices.map((each) => [each.slot, each.through]));
  for (const [slot, value] of Object.entries(slots)) {
    const way = through.get(slot);
    const isText = typeof value === "string";
    const name =
      way === undefined ? undefined : way === "variable" || way === "part" ? `\${var:${slot}}` : `\${param:${slot}}`;
    // A part of a text keeps the first letter as it is.
    const shown = name === undefined ? value : way === "part" && isText ? `${value[0]}${name}` : name;
    body = body.replaceAll(`"<${slot}>"`, () => quoted(shown)).replaceAll(`<${slot}>`, () => String(shown));
  }
  const variables = choices.map(({ slot, through: way }) => {
    const value = slots[slot];
    return `  ${slot}: { default: ${quoted(way === "part" && typeof value === "string" ? value.slice(1) : value)} }`;
  });
  const passed = choices.filter(({ through: way }) => way === "parameter" || way === "both");
  const each = choices.some(({ slot }) => slot === "EACH") ? `"\${var:EACH}"` : quoted(slots["EACH"]);
  return `version: 1
name: drawn
variables:
${variables.join("\n")}
templates:
  all:
    parameters: { ${passed.map(({ slot }) => `${slot}: {}`).join(", ")} }
${body.replaceAll(/^/gmu, "    ")}
  zone: { parameters: { name: }, dns: { "\${param:name}": } }
use:
  - { template: all, with: { ${passed.map(({ slot }) => `${slot}: "\${var:${slot}}"`).join(", ")} } }
  - { template: zone, for_each: ${each}, with: { name: "\${each}" } }
`;
}

function loadGiven(text: string, choices: readonly Drawn[]): Loaded {
  const of = (way: Drawn["way"]) => choices.filter((each) => each.way === way);
  return load(text, {
    flags: of("flag").map(({ slot, value }) => `${slot}=${value}`),
    env: Object.fromEntries(of("environment").map(({ slot, value }) => [`HOSTFORM_VAR_${slot}`, value])),
    files: of("file").map(({ slot, value }, index) => ({
      file: `v${index}.yaml`,
      text: `${slot}: ${JSON.stringify(value)}\n`,
    })),
  });
}

/** All that decides which resources are ours, and which may be deleted. */
function owned({ read }: Loaded) {
  const { resources = new Map(), collections = new Map() } = (read?.desired ?? {}) as Partial<Desired>;
  const policies = [...collections].map(([id, { exclusive, ignore }]) => [id, exclusive, ignore]);
  return {
    addresses: [...resources.keys()].toSorted((a, b) => (a < b ? -1 : 1)),
    policies,
    lifecycles: [...resources.values()].map(({ lifecycle }) => lifecycle),
  };
}

/** Where values come from that are not in the manifest: no value from outside may name another secret. */
const sources = (loaded: Loaded) =>
  [...JSON.stringify(bodies(loaded)).matchAll(/\{"(?:env|file|ref)":"[^"]*"[^}]*\}/gu)].map(([part]) => part);

test("no value from outside changes which resources are meant, or which secrets are read", async () => {
  let taken = 0;
  await forDraws(240, drawn, (choices) => {
    const text = write(choices);
    const before = load(text);
    expect(before.errors, text).toEqual([]);
    const after = loadGiven(text, choices);
    if (after.errors.length > 0) {
      for (const { at, summary } of after.errors) expect(at, summary).toBeDefined();
      return;
    }
    taken += 1;
    expect(owned(after), text).toEqual(owned(before));
    expect(sources(after), text).toEqual(sources(before));
  });
  expect(taken).toBeGreaterThan(0);
});
