import { badArguments, InputError } from "../engine/session/input-error.ts";
import { didYouMean, nearest } from "../model/nearest.ts";
import { defaults } from "./options.ts";

type Rule = readonly [expected: string, holds: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === "string";
const isVariable = (value: unknown) => isText(value) || typeof value === "boolean" || Number.isFinite(value);
const areValues = (value: unknown) => isRecord(value) && Object.values(value).flat().every(isVariable);
const isWithin = (value: unknown, least: number, most: number) =>
  typeof value === "number" && value >= least && value <= most;
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text: Rule = ["a text that is not empty", (value) => isText(value) && value !== ""];
const texts: Rule = ["a list of texts", (value) => Array.isArray(value) && value.every(isText)];
const choice: Rule = ["true or false", (value) => typeof value === "boolean"];
const work: Rule = ["a function", (value) => typeof value === "function"];
const source: Rule = ["a path, or { text }", (value) => (isRecord(value) ? isText(value["text"]) : text[1](value))];
const record: Rule = ["an object", isRecord];
// A timer that gets a number out of its range ends at once, and with no request at a time none is ever sent.
const seconds: Rule = ["a number of seconds from 0 to 2000000", (value) => isWithin(value, 0, 2_000_000)];
const atATime: Rule = ["a whole number from 1 to 128", (value) => Number.isInteger(value) && isWithin(value, 1, 128)];

const each = <Name extends string>(rule: Rule, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, rule])) as Record<Name, Rule>;

const approve: Rule = ["a function, or the hash of a plan", (value) => typeof value === "function" || isText(value)];
const values: Rule = ["an object of texts, numbers, true, false, and lists of these", areValues];

const common = {
  ...each(text, "contract", "execFile"),
  env: record,
  allowFile: texts,
  commandTimeout: seconds,
  onEvent: work,
  ...each(["an AbortSignal", (value) => isRecord(value) && typeof value["addEventListener"] === "function"], "signal"),
};
const variables = { variables: values, varFile: texts };
const manifest = { ...common, ...variables, manifests: texts };
const target = {
  ...common,
  ...each(text, "baseUrl", "emulatorData", "caFile", "keyFile", "inventory"),
  ...each(choice, "emulator", "acceptTarget", "debug"),
  stores: record,
  parallelism: atATime,
};
const change = {
  ...target,
  ...each(texts, "allowDelete", "allowPurchase", "retry", "rotate"),
  ...each(text, "journal", "checkout"),
  rollback: choice,
  policy: work,
};
const run = { ...change, ...each(seconds, "settle", "waitTimeout", "lockTimeout"), rehearse: choice, approve };
const selection = { ...each(texts, "only", "except"), onlyDrift: choice };

/** The options of each function, and their forms: a program without types would allow with the text "false", and be refused with a stack trace. */
export const optionsOf = {
  validate: manifest,
  plan: { ...manifest, ...change, ...selection, ...each(choice, "out", "undoOut"), live: source },
  apply: { ...manifest, ...run, ...selection },
  applySavedPlan: { ...run, plan: source },
  drift: { ...manifest, ...target, tolerate: texts, unmanaged: choice, accept: text, live: source },
  status: { ...manifest, ...target, address: texts, failOn: work },
  snapshot: { ...manifest, ...target },
  importAccount: {
    ...target,
    ...variables,
    ...each(text, "folder", "into"),
    ...each(texts, "kind", "only"),
    ...each(["folder or single", (value) => value === "folder" || value === "single"], "layout"),
    own: choice,
    live: source,
  },
};

/**
 * Returns the mistake of the first option that a function does not take, or that has another form. Its value is not shown: it may be a key
 * in the wrong place.
 */
export function wrongOption(of: keyof typeof optionsOf, options: unknown): InputError | undefined {
  // Inherited options would be read here and there.
  if (!isRecord(options) || Object.getPrototypeOf(Object.getPrototypeOf(options) ?? options) !== null)
    return wrongValue("options", "a plain object without inherited options", options);
  const known = new Map<string, Rule>(Object.entries(optionsOf[of]));
  for (const [flag, value] of Object.entries(options)) {
    const [expected, holds] = known.get(flag) ?? [];
    if (value === undefined || holds?.(value) === true) continue;
    if (expected !== undefined) return wrongValue(flag, expected, value);
    const near = didYouMean(nearest(flag, [...known.keys()]), "`");
    return badArguments(`Unknown option: ${flag}`, near ?? `the reference lists the options of ${of}`);
  }
  return undefined;
}

function wrongValue(flag: string, expected: string, value: unknown): InputError {
  const { [flag]: byDefault } = defaults as Readonly<Record<string, unknown>>;
  const hint = typeof byDefault === "number" ? `leave it out for ${byDefault}` : "correct the options of the call";
  const isShown = value === null || value === "" || typeof value === "number";
  const found = isShown ? String(value) || '""' : Array.isArray(value) ? "a list" : typeof value;
  return new InputError({ type: "wrong_value", flag, expected, found, hint });
}
