import { isNumbered } from "../api/list-in-turn.ts";
import { findNextPage } from "../api/next-page.ts";
import { placeOf } from "../api/read-page.ts";
import type { ApiRules, PagingRules } from "../model/contract.ts";
import { type JsonObject, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { askPage, recordsAt } from "./ask-list.ts";
import {
  confirm,
  type Examination,
  leaveUntested,
  type Path,
  refute,
  ruleAt,
  rulesFor,
  writtenAt,
} from "./examination.ts";
import type { ReadList } from "./examine-list.ts";
import { guessTotal, headersOf, numbersBeside } from "./judge/guess-total.ts";
import { hintsOfPaging, pagingGuesses } from "./judge/guess-paging.ts";
import { likeliest } from "./judge/pointers.ts";
import { counted } from "./judge/say.ts";
import { isSpent } from "./probe.ts";

/** Compares the count of a list with its objects. */
export function examineTotal(exam: Examination, list: ReadList): void {
  const { kind } = list.ref;
  if (list.reading.isSingle) return;
  const { paging } = rulesFor(exam, kind, "list");
  if (paging.total !== undefined || paging.total_header !== undefined) judgeTotal(exam, list, paging);
  if (paging.actual_size !== undefined) judgeSize(exam, list, paging.actual_size);
}

function judgeTotal(exam: Examination, list: ReadList, paging: PagingRules): void {
  const { answer, items, ref } = list;
  const rule = paging.total === undefined ? "total_header" : "total";
  const at = paging.total ?? paging.total_header ?? "";
  const headers = headersOf(answer.head);
  const value = rule === "total" ? getPointer(answer.body, at) : headers.get(at.toLowerCase());
  const total = typeof value === "number" || /^\d{1,15}$/u.test(jsonText(value)) ? Number(value) : undefined;
  const isFull = items.length >= (paging.max_size ?? Infinity);
  const path = writtenAt(exam, ref.kind.name, "list", ["paging", rule]);
  if (total !== undefined && (isFull ? total >= items.length : total === items.length)) return confirm(exam, path);
  const guess = guessTotal({ body: answer.body, headers, count: items.length, isFull, wanted: at });
  const place = rule === "total" ? at : `the header ${at}`;
  const found =
    total === undefined
      ? `no number there`
      : `${total}, and ${counted(items.length, "object")} on a page that holds up to ${paging.max_size ?? "any number"}`;
  // A server may give fewer objects than were asked for: then nothing better is there.
  if (total !== undefined && !guess && total > items.length && items.length > 0)
    return leaveUntested(
      exam,
      path,
      `${found}; only a second page shows whether the server gives fewer than asked for`,
    );
  const wrong = ruleAt(exam, ref.kind.name, "list", ["paging", rule]);
  const where = guess && ("header" in guess ? `the header ${guess.header}` : guess.pointer);
  refute(exam, {
    path: total === undefined || guess ? wrong : path,
    expected: `the number of all objects in ${place}`,
    found: where === undefined ? found : `${found}; the number stands in ${where}`,
    write: guess && totalFragment(wrong, rule, guess),
  });
}

function totalFragment(
  path: Path,
  rule: "total" | "total_header",
  guess: { readonly pointer: string } | { readonly header: string },
): JsonObject {
  const own = "header" in guess ? { total_header: guess.header } : { total: guess.pointer };
  const words: JsonObject = { ...(!(rule in own) && { [rule]: null }), ...own };
  return path.slice(0, -1).reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), words);
}

function judgeSize(exam: Examination, { answer, ref, items }: ReadList, at: string): void {
  const rule = ["paging", "actual_size"];
  const value = getPointer(answer.body, at);
  const path = writtenAt(exam, ref.kind.name, "list", rule);
  if (typeof value === "number" && value >= items.length && value > 0) return confirm(exam, path);
  const numbers = numbersBeside(answer.body).filter(([, number]) => number >= items.length && number > 0);
  const near = likeliest(
    numbers.map(([pointer]) => pointer),
    { pointer: at, name: "per_page" },
  );
  const wrong = ruleAt(exam, ref.kind.name, "list", rule);
  refute(exam, {
    path: wrong,
    expected: `the number of objects on a full page at ${at}`,
    found: typeof value === "number" ? `${value}, and ${counted(items.length, "object")}` : "no number there",
    write:
      near === undefined
        ? undefined
        : (wrong.reduceRight<JsonObject | string>((inner, key) => ({ [key]: inner }), near) as JsonObject),
  });
}

/** Asks for pages of one object, and sees whether the second holds the second object. */
export async function examinePaging(exam: Examination, list: ReadList): Promise<void> {
  const { kind } = list.ref;
  if (list.reading.isSingle) return;
  const rules = rulesFor(exam, kind, "list");
  const rule = writtenAt(exam, kind.name, "list", ["paging"]);
  const entry = pagingEntry(exam, kind.name);
  if (exam.findings.get(JSON.stringify(entry))?.is === "confirmed" && entry.length === 1) return;
  if (rules.paging.style === "none") return examineOnePage(exam, list, rules);
  if (list.items.length < 2)
    return leaveUntested(exam, rule, "no list with two objects was read, so that there was no second page");
  const works = await tryPaging(exam, list, rules);
  if (works === undefined) return leaveUntested(exam, rule, "a page of one object was refused");
  if (works) return confirm(exam, entry);
  await findPaging(exam, list, rules, entry);
}

/** The entry that says how a list is paged. */
const pagingEntry = ({ contract }: Examination, kind: string): Path =>
  contract.kinds[kind]?.paging?.style === undefined && contract.kinds[kind]?.paging?.page === undefined
    ? ["paging"]
    : ["kinds", kind, "paging"];

function examineOnePage(exam: Examination, list: ReadList, rules: ApiRules): void {
  const entry = pagingEntry(exam, list.ref.kind.name);
  const hint = hintsOfPaging(list.answer.body, headersOf(list.answer.head));
  if (hint.next === undefined) return confirm(exam, entry);
  const write = entry.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), {
    style: "link",
    ...(hint.next !== "" && { next: hint.next }),
  });
  refute(exam, {
    path: entry,
    expected: `all objects in one answer (style: ${rules.paging.style})`,
    found: "an address of a next page",
    write,
  });
}

/** Returns whether the second page of one object holds the second object; undefined if it was refused. */
async function tryPaging(exam: Examination, list: ReadList, rules: ApiRules): Promise<boolean | undefined> {
  const { paging } = rules;
  const [first, second] = list.items.map(list.reading.idOf);
  const small = { ...rules, paging: { ...paging, ...(paging.size !== undefined && { max_size: 1 }) } };
  const reading = { ...list.reading, rules: small };
  if (isSpent(exam.probe)) return undefined;
  if (isNumbered(rules)) {
    const step = paging.size === undefined ? list.items.length : 1;
    const place = { [paging.page ?? "page"]: placeOf(rules, 2, step) };
    const answer = await askPage(exam, { ...list, reading }, place);
    if (answer.failure) return paging.size === undefined && answer.failure.sort === "not_found" ? true : undefined;
    const ids = (recordsAt(reading, small, answer.body) ?? []).map(list.reading.idOf);
    return paging.size === undefined ? !ids.includes(first ?? "") : ids.length === 1 && ids[0] === second;
  }
  if (paging.size === undefined) return undefined;
  const answer = await askPage(exam, { ...list, reading });
  if (answer.failure) return undefined;
  const next = nextOf(small, answer.body, headersOf(answer.head), answer.path);
  return (recordsAt(reading, small, answer.body) ?? []).length === 1 && next;
}

function nextOf(
  rules: ApiRules,
  body: Parameters<typeof hintsOfPaging>[0],
  headers: ReadonlyMap<string, string>,
  from: string,
) {
  const header = (name: string | undefined) => (name === undefined ? undefined : headers.get(name.toLowerCase()));
  const next = findNextPage(rules, { body, header }, { baseUrl: new URL("https://api.invalid"), from });
  return next !== undefined;
}

/** Other ways of paging that are tried at most. */
const mostGuesses = 6;

async function findPaging(exam: Examination, list: ReadList, rules: ApiRules, path: Path): Promise<void> {
  const { paging } = rules;
  const hints = hintsOfPaging(list.answer.body, headersOf(list.answer.head));
  const expected = `another object on the second page, by ${[paging.page, paging.size].filter((each) => each !== undefined).join(" and ")}`;
  for (const change of pagingGuesses(paging, hints).slice(0, mostGuesses)) {
    const tried = { ...rules, paging: withChange(paging, change) };
    if ((await tryPaging(exam, list, tried)) !== true) continue;
    const write = path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), change);
    refute(exam, {
      path,
      expected,
      found: `a second page by ${Object.values(change).map(jsonText).join(" and ")}`,
      write,
    });
    return;
  }
  refute(exam, { path, expected, found: "the same objects, or none" });
}

const withChange = (paging: PagingRules, change: JsonObject): PagingRules =>
  Object.fromEntries(Object.entries({ ...paging, ...change }).filter(([, value]) => value !== null));
