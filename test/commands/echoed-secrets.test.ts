import fc from "fast-check";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { renderEvent } from "../../src/render/mask-event.ts";
import { forDraws } from "../support/for-draws.ts";
import { startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { checkEvents, type Ran, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

/** A server that repeats a secret wherever it likes: in values, ids, states, errors and headers. */
const folder = folderForFile();
const server = openedForFile(() =>
  startHttpsServer((request, response) => {
    request.resume();
    const error = { message: echo("message"), code: echo("code"), errors: { [echo("field")]: [echo("problem")] } };
    const id = [...Buffer.from(echo("header"))].every((byte) => byte > 31 && byte < 127) ? echo("header") : "r1";
    if (request.method !== "GET")
      return void response.writeHead(422, { "x-request-id": id }).end(JSON.stringify(error));
    const path = request.url ?? "";
    const service = { id: "s1", domain: "a.example", status: echo("status"), datacenter: "MAD1", hosting: {} };
    const cron = { id: echo("id"), service_id: "s1", name: "job", schedule: "@daily", command: echo("command") };
    const other = {
      id: "c2",
      service_id: "s1",
      name: "other",
      schedule: "@hourly",
      command: "x",
      email: echo("email"),
    };
    // Without an ETag, it is read alone just before it is written.
    if (path.includes("/crons/"))
      return void response.end(JSON.stringify({ data: path.endsWith("/c2") ? other : cron }));
    const data = path.includes("/services") ? [service] : path.includes("/crons") ? [cron, other] : [];
    return void response.end(JSON.stringify({ data, meta: { total: data.length } }));
  }),
);
let echo: (place: Place) => string = () => "plain";
const places = ["command", "email", "status", "id", "message", "code", "field", "problem", "header"] as const;
type Place = (typeof places)[number];

beforeAll(async () => {
  writeFileSync(join(folder, "ca.pem"), server.ca);
  writeFileSync(join(folder, "m.yaml"), manifest);
});

const manifest = `version: 1
name: echo
services: { a.example: { datacenter: MAD1 } }
crons:
  a.example:
    jobs:
      job: { schedule: "0 3 * * *", command: "curl \${env:SECRET}" }
      other: { schedule: "@daily", email: x@a.example }
`;

const run = (secret: string, ...args: string[]) => {
  const target = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")];
  const env = { SECRET: secret, HOSTFORM_API_KEY: "the-api-key" };
  const isSaved = args[1]?.startsWith(folder) === true;
  const own = args[0] === "show" ? [] : isSaved ? target : [...target, "-f", join(folder, "m.yaml")];
  return runInProcess({ flags: own, env }, args, {}, { sleep: async () => undefined });
};

const schema = JSON.parse(readFileSync(new URL("../../schemas/events.schema.json", import.meta.url), "utf8")) as object;

/** The words that the schema demands, each with the key at which it does. */
function wordsIn(value: unknown, key: string): (readonly [key: string, word: unknown])[] {
  if (typeof value !== "object" || value === null) return [];
  const { enum: several = [], const: only } = value as { enum?: unknown[]; const?: unknown };
  return [
    ...[...several, ...(only === undefined ? [] : [only])].map((word) => [key, word] as const),
    ...Object.entries(value).flatMap(([name, inner]) =>
      wordsIn(inner, name === "oneOf" || /^\d+$/u.test(name) ? key : name),
    ),
  ];
}
const words = wordsIn(schema, "");

test("the words that the schema demands are never masked", () => {
  for (const [key, word] of words) {
    const line = renderEvent({ type: "x", [key]: word, nested: [{ [key]: word }] }, () => "(sensitive)");
    expect(JSON.parse(line)).toMatchObject({ [key]: word, ...(key !== "type" && { nested: [{ [key]: word }] }) });
  }
});

/** Every text and number of a value that comes from outside, keys of foreign objects among them. */
function leavesOf(value: unknown, key = ""): string[] {
  if (typeof value === "string" || typeof value === "number")
    return ["type", "code", "hash"].includes(key) || words.some(([, word]) => word === value) ? [] : [String(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...(key === "fields" ? [name] : []),
    ...leavesOf(inner, Array.isArray(value) ? key : name),
  ]);
}

const drawnSecret = fc
  .oneof(
    fc.constantFrom(
      '"type"',
      "planned",
      "create",
      "sensitive-value",
      '{"type":"plan"}',
      '","value":"',
      "\\u0022quoted",
      "line\nbreak",
      "back\\slash\\",
      "12345678",
      "größe-und-straße",
      "https://hooks.a.example/services/T000/B000",
    ),
    fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 }),
    fc.string({
      unit: fc.constantFrom('"', "\\", "\n", ":", "{", "}", ",", "%", "&", "u", "0"),
      minLength: 6,
      maxLength: 20,
    }),
  )
  .filter((secret) => secret.trim().length >= 6 && !"(sensitive)".includes(secret) && !/^0+$/u.test(secret));

/** Files that commands write, under a name that stands for their path. */
const written = ["PLAN", "UNDO", "SNAPSHOT", "INVENTORY"] as const;
const kept = ["--inventory", "INVENTORY"];
/** Command lines that run one after another. */
const commands: readonly (readonly (readonly string[])[])[] = [
  [["plan"]],
  [["plan", "--debug"]],
  [["apply", "--auto-approve", "--settle", "0", "--debug"]],
  [["status", "--debug"]],
  [["why", "cron/a.example/job"]],
  [["snapshot", "--out", "SNAPSHOT", "--debug"]],
  [
    ["plan", "--out", "PLAN", "--undo-out", "UNDO"],
    ["show", "PLAN"],
    ["show", "UNDO"],
    ["apply", "PLAN", "--auto-approve", "--settle", "0"],
  ],
  [
    ["apply", "--auto-approve", "--settle", "0", "--undo-out", "UNDO", ...kept],
    ["inventory", ...kept],
    ["status", ...kept],
    ["show", "UNDO"],
    ["apply", "UNDO", "--auto-approve", "--settle", "0", ...kept],
  ],
];

/** Runs command lines in a row; what they print, and what they leave in files. */
async function runAll(lines: readonly (readonly string[])[], secret: string, isJson: boolean): Promise<Ran[]> {
  const all: Ran[] = [];
  const pathOf = (word: string) => (written.some((name) => name === word) ? join(folder, word) : word);
  for (const line of lines) {
    const [, file = ""] = line;
    if (written.some((name) => name === file) && !existsSync(pathOf(file))) continue;
    all.push(await run(secret, ...line.map(pathOf), ...(isJson && line[0] !== "inventory" ? ["--json"] : [])));
  }
  return all;
}

/** Removes the files that commands have written; returns the texts in them that hold a secret. */
function takeWritten(hidden: string): string[] {
  const paths = written.map((name) => join(folder, name)).filter((path) => existsSync(path));
  const leaves = paths.flatMap((path) => leavesOf(JSON.parse(readFileSync(path, "utf8"))));
  for (const path of paths) rmSync(path);
  // The ids of steps begin with a word of ours.
  return words.some(([, word]) => word === hidden) ? [] : leaves.filter((leaf) => leaf.includes(hidden));
}

function expectHidden(hidden: string, { stdout, stderr }: Ran, isJson: boolean): void {
  if (!isJson) return expect(stdout + stderr).not.toContain(hidden);
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(checkEvents(events)).toEqual([]);
  expect(events.flatMap((event) => leavesOf(event)).filter((leaf) => leaf.includes(hidden))).toEqual([]);
  expect(stderr).not.toContain(hidden);
}

test("a secret that the server repeats, whole or cut off, is nowhere in the output, and JSON stays JSON", () =>
  forDraws(
    20,
    drawnSecret,
    fc.subarray([...places], { minLength: 1 }),
    fc.option(fc.integer({ min: 12, max: 30 }), { nil: undefined }),
    fc.constantFrom(...commands),
    fc.boolean(),
    async (secret, where, cut, command, isJson) => {
      const part = cut === undefined || cut >= secret.length ? secret : secret.slice(0, cut);
      echo = (place) => (where.includes(place) ? `${place} ${part} here` : `plain-${place}`);
      for (const ran of await runAll(command, secret, isJson)) {
        expect(ran.stderr).not.toContain("This is a bug");
        expectHidden(part, ran, isJson && ran.stdout.startsWith("{"));
      }
      expect(takeWritten(part)).toEqual([]);
    },
  ));

test("a beginning that the manifest itself writes is shown", async () => {
  echo = (place) => (place === "message" ? "cannot reach https://hooks.a.example/services/ now" : `plain-${place}`);
  const secret = "https://hooks.a.example/services/T000/B000";
  const shown = await run(secret, "apply", "--auto-approve", "--settle", "0");
  expect(shown.stdout).toContain("cannot reach (sensitive) now");
  writeFileSync(join(folder, "m.yaml"), `# see https://hooks.a.example/services/ for all\n${manifest}`);
  const public_ = await run(secret, "apply", "--auto-approve", "--settle", "0");
  writeFileSync(join(folder, "m.yaml"), manifest);
  expect(public_.stdout).toContain("cannot reach https://hooks.a.example/services/ now");
});
