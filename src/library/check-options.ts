import { InputError } from "../engine/session/input-error.ts";
import type {
  ApplyOptions,
  ApplySavedPlanOptions,
  counts,
  DriftOptions,
  ImportOptions,
  PlanOptions,
  StatusOptions,
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

type Every = ApplyOptions & ApplySavedPlanOptions & PlanOptions & DriftOptions & StatusOptions & ImportOptions;

/** The forms of all options but the numbers: a program without types would allow with the text "false", and be refused with a stack trace. */
const rules: Readonly<Record<Exclude<keyof Every, keyof typeof counts>, Rule>> = {
  contract: text,
  execFile: text,
  baseUrl: text,
  emulatorData: text,
  caFile: text,
  keyFile: text,
  inventory: text,
  journal: text,
  checkout: text,
  accept: text,
  folder: text,
  into: text,
  manifests: texts,
  varFile: texts,
  allowFile: texts,
  allowDelete: texts,
  allowPurchase: texts,
  retry: texts,
  rotate: texts,
  only: texts,
  except: texts,
  tolerate: texts,
  address: texts,
  kind: texts,
  emulator: choice,
  acceptTarget: choice,
  debug: choice,
  rollback: choice,
  onlyDrift: choice,
  out: choice,
  undoOut: choice,
  rehearse: choice,
  unmanaged: choice,
  own: choice,
  onEvent: work,
  policy: work,
  failOn: work,
  plan: source,
  live: source,
  env: record,
  stores: record,
  variables: [
    "an object of texts, numbers, true, false, and lists of these",
    (value) => isRecord(value) && Object.values(value).flat().every(isVariable),
  ],
  layout: ["folder or single", (value) => value === "folder" || value === "single"],
  approve: ["a function, or the hash of a plan", (value) => typeof value === "function" || isText(value)],
  signal: ["an AbortSignal", (value) => isRecord(value) && typeof value["addEventListener"] === "function"],
};

/** Returns the mistake of the first option that has not its form. Its value is not shown: it may be a key in the wrong place. */
export function wrongOption(options: object): InputError | undefined {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const wrong = Object.entries(rules).find(([name, [, holds]]) => given[name] !== undefined && !holds(given[name]));
  if (wrong === undefined) return undefined;
  const [flag, [expected]] = wrong;
  const value = given[flag];
  const found = value === null || value === "" ? JSON.stringify(value) : Array.isArray(value) ? "a list" : typeof value;
  return new InputError({ type: "wrong_value", flag, expected, found, hint: "correct the options of the call" });
}
