import { badArguments, InputError } from "../engine/session/input-error.ts";
import { didYouMean, nearest } from "../model/nearest.ts";
import {
  defaults,
  type ApplyOptions,
  type ApplySavedPlanOptions,
  type DriftOptions,
  type ImportOptions,
  type PlanOptions,
  type StatusOptions,
} from "./options.ts";

type Rule = readonly [expected: string, holds: (value: unknown) => boolean];

const isText = (value: unknown) => typeof value === "string";
const isVariable = (value: unknown) => isText(value) || typeof value === "boolean" || Number.isFinite(value);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const text: Rule = ["a text that is not empty", (value) => isText(value) && value !== ""];
const texts: Rule = ["a list of texts", (value) => Array.isArray(value) && value.every(isText)];
const choice: Rule = ["true or false", (value) => typeof value === "boolean"];
const work: Rule = ["a function", (value) => typeof value === "function"];
const source: Rule = ["a path, or { text }", (value) => (isRecord(value) ? isText(value["text"]) : text[1](value))];
const record: Rule = ["an object", isRecord];
// A timer that gets a number out of its range ends at once, and with no request at a time none is ever sent.
const isWithin = (value: unknown, least: number, most: number) => Number(value) >= least && Number(value) <= most;
const seconds: Rule = [
  "a number of seconds from 0 to 2000000",
  (value) => Number.isFinite(value) && isWithin(value, 0, 2_000_000),
];
const atATime: Rule = ["a whole number from 1 to 128", (value) => Number.isInteger(value) && isWithin(value, 1, 128)];

type Every = ApplyOptions & ApplySavedPlanOptions & PlanOptions & DriftOptions & StatusOptions & ImportOptions;

const each = <Name extends string>(rule: Rule, ...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, rule])) as Record<Name, Rule>;

/** The form of each option: a program without types would allow with the text "false", and be refused with a stack trace. */
const rules: Readonly<Record<keyof Every, Rule>> = {
  ...each(text, "contract", "execFile", "baseUrl", "emulatorData", "caFile", "keyFile"),
  ...each(text, "inventory", "journal", "checkout", "accept", "folder", "into"),
  ...each(texts, "manifests", "varFile", "tolerate", "address", "kind", "only", "except"),
  ...each(texts, "allowFile", "allowDelete", "allowPurchase", "retry", "rotate"),
  ...each(choice, "acceptTarget", "onlyDrift", "out", "undoOut", "unmanaged", "own"),
  ...each(choice, "emulator", "debug", "rollback", "rehearse"),
  ...each(seconds, "settle", "waitTimeout", "lockTimeout", "commandTimeout"),
  ...each(work, "onEvent", "policy", "failOn"),
  ...each(source, "plan", "live"),
  ...each(record, "env", "stores"),
  parallelism: atATime,
  variables: [
    "an object of texts, numbers, true, false, and lists of these",
    (value) => isRecord(value) && Object.values(value).flat().every(isVariable),
  ],
  layout: ["folder or single", (value) => value === "folder" || value === "single"],
  approve: ["a function, or the hash of a plan", (value) => typeof value === "function" || isText(value)],
  signal: ["an AbortSignal", (value) => isRecord(value) && typeof value["addEventListener"] === "function"],
};

/** Returns the mistake of the first option that does not exist, or that has another form. Its value is not shown: it may be a key in the wrong place. */
export function wrongOption(options: object): InputError | undefined {
  const known = new Map<string, Rule>(Object.entries(rules));
  const [flag, value] =
    Object.entries(options).find(([name, given]) => given !== undefined && known.get(name)?.[1](given) !== true) ?? [];
  if (flag === undefined) return undefined;
  const [expected] = known.get(flag) ?? [];
  const near = didYouMean(nearest(flag, [...known.keys()]), "`");
  if (!expected) return badArguments(`Unknown option: ${flag}`, near ?? "the reference lists all options");
  const { [flag]: byDefault } = defaults as Readonly<Record<string, unknown>>;
  if (typeof byDefault === "number")
    return new InputError({ type: "wrong_value", flag, expected, found: value, hint: `leave it out for ${byDefault}` });
  const found = value === null || value === "" ? JSON.stringify(value) : Array.isArray(value) ? "a list" : typeof value;
  return new InputError({ type: "wrong_value", flag, expected, found, hint: "correct the options of the call" });
}
