import { type Json, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { confirm, type Examination, leaveUntested, nested, refute } from "./examination.ts";
import { headersOf, spellHeader } from "./judge/guess-total.ts";
import { likeliest, pointersIn } from "./judge/pointers.ts";
import type { ProbeAnswer } from "./probe.ts";

/** Compares the headers that the contract names, and its places of errors, with all answers. */
export function examineRules(exam: Examination): void {
  const answers = exam.probe.answers();
  if (!answers.some(({ head }) => head)) return;
  examineHeaders(exam, answers);
  const refused = answers.filter(({ failure, status = 0 }) => failure !== undefined && status >= 400);
  const path = ["answer", "error"];
  const { message } = exam.contract.answer.error;
  // A server in front of the API answers some paths in a form of its own.
  const first =
    refused.find(({ body }) => isText(getPointer(body, message))) ??
    refused.find(({ body }) => errorPlaces(body).size > 0) ??
    refused[0];
  if (!first) return leaveUntested(exam, path, "no request was refused");
  examineError(exam, first.body, first.status ?? 0);
}

/** Headers of answers by their place in a contract, and what they are called elsewhere. */
const headerRules: readonly (readonly [path: readonly string[], alike: RegExp])[] = [
  [["answer", "request_id", "header"], /^(?:x-)?(?:request|correlation|trace)-?id$|^cf-ray$/u],
  [["answer", "rate_limit", "remaining"], /rate-?limit.*remaining/u],
  [["answer", "rate_limit", "reset"], /rate-?limit.*reset/u],
];

function examineHeaders(exam: Examination, answers: readonly ProbeAnswer[]): void {
  const all = new Map(answers.flatMap(({ head }) => [...headersOf(head)]));
  for (const [path, alike] of headerRules) {
    const name = path.reduce<Json | undefined>(
      (here, key) => (here === undefined ? undefined : getPointer(here, `/${key}`)),
      exam.contract as unknown as Json,
    );
    if (typeof name !== "string") continue;
    const other = [...all.keys()].find((each) => alike.test(each));
    if (all.has(name.toLowerCase())) confirm(exam, path);
    else if (other === undefined) leaveUntested(exam, path, "no answer had this header, or one like it");
    else {
      const spelt = spellHeader(other);
      refute(exam, { path, expected: `the header ${name}`, found: `the header ${spelt}`, write: nested(path, spelt) });
    }
  }
}

const isText = (value: Json | undefined) => typeof value === "string" && value !== "";
const isCode = (value: Json | undefined) => isText(value) || typeof value === "number";

/** Compares the places of a message and a code with an answer that refuses a request. */
function examineError(exam: Examination, body: Json, status: number): void {
  const { message, code } = exam.contract.answer.error;
  const base = ["answer", "error"];
  if (errorPlaces(body).size === 0)
    return leaveUntested(exam, base, `the answer with status ${status} had no object with an error`);
  const judge = (at: string | undefined, name: string, fits: (value: Json | undefined) => boolean) => {
    if (at === undefined) return;
    if (fits(getPointer(body, at))) return confirm(exam, [...base, name]);
    const places = [...errorPlaces(body)].flatMap(([pointer, value]) => (fits(value) ? [pointer] : []));
    const near = likeliest(places, { pointer: at, name }) ?? unusualPlace(places, body, name);
    const path = [...base, name];
    if (near === undefined) return leaveUntested(exam, path, `the answer with status ${status} had no ${name}`);
    const found = `nothing there with status ${status}; a ${name} at ${near}`;
    refute(exam, { path, expected: `a ${name} at ${at}`, found, write: nested(path, near) });
  };
  judge(message, "message", isText);
  judge(code, "code", isCode);
}

/** Names of a message and of a code that are not their own words. */
const unusualNames: Readonly<Record<string, RegExp>> = {
  message: /(?:detail|reason|description|error|title|text|explanation|problem|why|info)/iu,
  code: /(?:type|error|errno|errcode|slug|kind|key|number|name)/iu,
};

/** Returns the place of a message or a code under another name: a message is a sentence, a code is a word. */
function unusualPlace(places: readonly string[], body: Json, name: string): string | undefined {
  const fits = (pointer: string) => {
    const value = getPointer(body, pointer);
    return name === "message" ? jsonText(value).includes(" ") : !jsonText(value).includes(" ");
  };
  const named = places.filter((pointer) =>
    unusualNames[name]?.test(pointer.replace(/\/0$/u, "").split("/").at(-1) ?? ""),
  );
  const last = name === "message" ? [...places.filter(fits), ...named] : [];
  return [...named.filter(fits), ...last][0];
}

/** Returns the values of an error by their pointers, also those of the first item of a list. */
function errorPlaces(body: Json): ReadonlyMap<string, Json> {
  const flat = pointersIn(body);
  const all = Array.isArray(body) ? [["", body] as const] : [...flat];
  const inLists = all.flatMap(([pointer, value]): (readonly [string, Json])[] => {
    const [item] = Array.isArray(value) ? (value as readonly Json[]) : [];
    if (item === undefined) return [];
    const inner = [...pointersIn(item)].map(([below, each]) => [`${pointer}/0${below}`, each] as const);
    return inner.length > 0 ? inner : [[`${pointer}/0`, item]];
  });
  return new Map([...flat, ...inLists]);
}
