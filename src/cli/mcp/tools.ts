import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import type { Ending } from "../../engine/session/host.ts";
import type { FileOptions } from "../../engine/session/load-manifest.ts";
import type { OpenTargetOptions } from "../../engine/session/open-target.ts";
import { showDrift } from "../../engine/drift.ts";
import { readSnapshot } from "../../engine/snapshot.ts";
import { validateManifest } from "../../engine/validate.ts";
import { explainResource } from "../../engine/why.ts";
import { kinds } from "../../kinds/index.ts";
import type { Snapshot } from "../../live/snapshot.ts";
import { plan } from "../commands/plan.ts";
import { rehearse } from "../commands/rehearse.ts";
import { status } from "../commands/status.ts";
import { manifestFor } from "../find-manifest.ts";
import type { Io } from "../io.ts";
import { printer } from "../printer.ts";
import { printForms } from "../write-forms.ts";
import { requireInside } from "./confine.ts";

/** The choices of whoever started the server, which hold for all calls: no input of a tool names an API, a key or a contract. */
export interface RunnerOptions extends OpenTargetOptions, FileOptions {
  readonly file?: readonly string[] | undefined;
}

/** One call of a tool. What it prints to `io` is its answer. */
export interface Call {
  /** Without links. */
  readonly folder: string;
  readonly runner: RunnerOptions;
  readonly io: Io;
}

/** The work of a tool in one call. */
export type Work = (call: Call) => Promise<Ending>;

/** Runs a call in its turn, and returns its answer. `stop` is aborted where the client cancels the call; `json`: whether mistakes are events. */
export type Answer = (work: Work, stop: AbortSignal, json: boolean) => Promise<CallToolResult>;

/** Characters of an answer. A model reads some 25,000 words of it. */
export const maxAnswer = 100_000;

const word = z
  .string()
  .max(1000)
  .regex(/^\P{Cc}+$/u, "expected a text without control characters");
const words = z.array(word).max(100);
const kindNames = kinds.map(({ name }) => name);

const common = {
  manifest: words
    .optional()
    .describe("manifest files or folders, by their paths in the folder; default: the usual one"),
  format: z.enum(["text", "json"]).default("text").describe("text, or one JSON event a line"),
};
const live = word.optional().describe("a file of hostform snapshot in the folder, to read instead of the API");
const changes = {
  only: words.default([]).describe("only these addresses and what they need; * matches any text"),
  except: words.default([]).describe("all but these addresses"),
};

/** No flag of consent is an input: whether something may be deleted or bought is not for a model to say. */
const noConsent = { allowDelete: [], allowPurchase: [], retry: [], rotate: [], rollback: false };

type Common = z.infer<z.ZodObject<typeof common>> & { readonly live?: string | undefined };

/** Returns the options of a command of manifests. Throws an InputError for a path that is not one of the folder. */
function optionsFor({ manifest, format, live: snapshot }: Common, { folder, runner, io }: Call, optional = false) {
  requireInside(folder, manifest ?? []);
  if (snapshot !== undefined) requireInside(folder, [snapshot], /\.json$/iu);
  const options = { ...runner, json: format === "json", live: snapshot };
  return { ...options, ...manifestFor(manifest ?? runner.file, io, false, optional) };
}

type Register = (server: McpServer, answer: Answer) => void;

const tool =
  <Shape extends z.ZodRawShape>(
    name: string,
    description: string,
    shape: Shape,
    run: (input: z.infer<z.ZodObject<Shape>>, call: Call) => Promise<Ending>,
  ): Register =>
  (server, answer) => {
    const inputSchema = z.strictObject(shape);
    const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };
    server.registerTool(name, { description, inputSchema, annotations }, (input, { mcpReq }) =>
      answer((call) => run(input, call), mcpReq.signal, "format" in input && input.format === "json"),
    );
  };

/** Prints a snapshot, or where it is longer than an answer, how many lists and objects of each kind there are. */
function printSnapshot({ collections, ...head }: Snapshot, kinds: readonly string[] | undefined, io: Io): void {
  const chosen = collections.filter(({ kind }) => kinds?.includes(kind) ?? true);
  const whole = JSON.stringify({ ...head, collections: chosen });
  const sizes = [...new Set(chosen.map(({ kind }) => kind))].map((kind) => {
    const lists = chosen.filter((each) => each.kind === kind);
    return { kind, lists: lists.length, objects: lists.flatMap(({ objects }) => objects).length };
  });
  const hint = "too long for one answer: ask for some kinds";
  // Beside it stand the target and what the API could not be asked.
  io.write(`${whole.length < 0.9 * maxAnswer ? whole : JSON.stringify({ ...head, hint, sizes })}\n`);
}

/** The tools of the server. Each of them only reads. */
export const tools: readonly Register[] = [
  tool("validate", "Check manifests, without the API: every mistake with its line.", common, (input, call) => {
    const options = optionsFor(input, call);
    return printForms("validate", options, call.io, (emit) => validateManifest(options, { ...call.io, emit }));
  }),
  tool(
    "plan",
    "Show what an apply would do, in order, and what it refuses. It changes nothing. Exit 2: there are changes.",
    {
      ...common,
      ...changes,
      live,
      only_drift: z.boolean().default(false).describe("only what was changed by hand since the last apply"),
      show_unmanaged: z.boolean().default(false).describe("also list live resources that the manifest does not name"),
    },
    (input, call) => {
      const { only, except, only_drift: onlyDrift, show_unmanaged: showUnmanaged } = input;
      const chosen = { only, except, onlyDrift, showUnmanaged, detailedExitcode: true };
      return plan({ ...optionsFor(input, call), ...noConsent, ...chosen }, call.io);
    },
  ),
  tool(
    "drift",
    "Show what was changed by hand since the last apply. A commit that waits to be applied is not drift. Exit 2: there is drift.",
    {
      ...common,
      live,
      tolerate: words.default([]).describe("leave out these addresses, or ADDRESS.FIELD"),
      unmanaged: z.boolean().default(false).describe("also count what nobody manages"),
    },
    (input, call) => {
      const { tolerate, unmanaged } = input;
      const options = { ...optionsFor(input, call), tolerate, unmanaged };
      return printForms("drift", options, call.io, (emit) => showDrift(options, { ...call.io, emit }));
    },
  ),
  tool(
    "why",
    "Explain one resource: where it is declared, how it differs from live state, what a plan would change.",
    { ...common, address: word.describe("such as mailbox/info@example.com") },
    (input, call) => {
      const options = { ...optionsFor(input, call), address: input.address };
      return explainResource(options, { ...call.io, emit: printer(call.io, options) });
    },
  ),
  tool(
    "status",
    "Show how live resources are doing: pending, failed, expiring.",
    { ...common, address: words.default([]).describe("only these; * matches any text") },
    (input, call) => status({ ...optionsFor(input, call, true), address: input.address }, call.io),
  ),
  tool(
    "snapshot",
    "Read the live state of the account, without secrets, as JSON. It writes no file.",
    { kinds: z.array(z.enum(kindNames)).optional().describe("only these kinds") },
    async ({ kinds }, { runner, io }) => {
      const session = { ...io, emit: printer({ ...io, write: io.writeError }, { json: false }) };
      const whole = { ...runner, ...manifestFor(runner.file, io, false, true), isWhole: true };
      return readSnapshot(whole, session, (taken) => printSnapshot(taken, kinds, io));
    },
  ),
  tool(
    "rehearse",
    "Plan, and carry the plan out on an embedded service that holds the same. The real API is only read.",
    { ...common, ...changes },
    (input, call) => {
      const { only, except } = input;
      return rehearse({ ...optionsFor(input, call), ...noConsent, only, except, crashSweep: false }, call.io);
    },
  ),
];
