import { isNumbered } from "../api/list-in-turn.ts";
import { findNextPage } from "../api/next-page.ts";
import { pagePlace } from "../api/read-page.ts";
import type { ApiRules, PagingRules } from "../model/contract.ts";
import { type JsonObject, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { askPage, fillList, recordsAt } from "./ask-list.ts";
import {
  confirm,
  type Examination,
  pathKey,
  leaveUntested,
  nested,
  type EntryPath,
  refute,
  ruleAt,
  rulesFor,
  writtenAt,
} from "./examination.ts";
import type { ReadList } from "./examine-list.ts";
import { guessTotal, headersOf, numbersBeside } from "./judge/guess-total.ts";
import {
  countsMore,
  fewest,
  findSize,
  findWay,
  hasMore,
  idsFromStart,
  namedSize,
  pageLength,
  type Way,
  pageWords,
} from "./examine-pages.ts";
import { hintsOfPaging } from "./judge/guess-paging.ts";
import { likeliest } from "./judge/pointers.ts";
import { counted } from "./judge/say.ts";

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
  path: EntryPath,
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

/** Asks for pages of two objects, and sees whether they hold as many, and the objects that are to be on them. */
export async function examinePaging(exam: Examination, list: ReadList): Promise<void> {
  const { kind } = list.ref;
  if (list.reading.isSingle) return;
  const rules = rulesFor(exam, kind, "list");
  const entry = pagingEntry(exam, kind.name);
  if (rules.paging.style === "none") return examineOnePage(exam, list, rules);
  const known = exam.findings.get(pathKey(entry));
  const isKnown = known?.is === "confirmed" || (known?.is === "refuted" && known.write !== undefined);
  // Its id may stand elsewhere than the contract said.
  const reading = fillList(exam, exam.contract, list.ref)?.reading ?? list.reading;
  const current = { ...list, reading };
  if (!isKnown || entry.length > 1) await examineWay(exam, current, entry);
  await examineMost(exam, { ...current, reading: { ...reading, rules: rulesFor(exam, kind, "list") } });
}

async function examineWay(exam: Examination, list: ReadList, entry: EntryPath): Promise<void> {
  const { rules } = list.reading;
  const { size: own, max_size: most } = rules.paging;
  const rule = writtenAt(exam, list.ref.kind.name, "list", ["paging"]);
  if (list.items.length < fewest - 1) return leaveUntested(exam, rule, "no list has three objects");
  const whole: Record<string, string> = own === undefined ? {} : { [own]: String(most) };
  const all = isNumbered(rules) ? await idsFromStart(exam, list, whole) : list.items.map(list.reading.idOf);
  if (all.length < fewest) return leaveUntested(exam, rule, "no list has three objects");
  const size = await examineSize(exam, list);
  if (!isNumbered(rules)) return examineNext(exam, list, size, entry);
  const isShort = size !== undefined;
  const way = await findWay(exam, list, { all, size: isShort ? { [size]: String(pageLength) } : whole, isShort });
  if (way === "refused") return leaveUntested(exam, entry, "a page was refused");
  const change = way && pageWords(rules.paging, way, entry.length > 1);
  if (change && Object.keys(change).length === 0) return confirm(exam, entry);
  refute(exam, {
    path: entry,
    expected: `the ${rules.paging.style === "offset" ? "objects after those that are skipped" : "next objects on the second page"}, by ${rules.paging.page}`,
    found: way ? inWords(way) : "the same objects, or none",
    ...(change && { write: nested(entry, change) }),
  });
}

const inWords = ({ page, style, first }: Way): string =>
  style === "offset"
    ? `${page} is the number of objects to skip`
    : `${page} is the number of a page, counted from ${first}`;

/** Judges the parameter for the size of a page. Returns the name by which the size can be chosen. */
async function examineSize(exam: Examination, list: ReadList): Promise<string | undefined> {
  const { rules } = list.reading;
  const { size, page } = rules.paging;
  if (size === undefined) return undefined;
  const kind = list.ref.kind.name;
  const rule = ["paging", "size"];
  const written = writtenAt(exam, kind, "list", rule);
  // Other names were tried before.
  if (exam.findings.has(pathKey(written))) return isSizeKnown(exam, kind) ? size : undefined;
  const place: Record<string, string> = isNumbered(rules) ? { [page ?? ""]: pagePlace(rules, 1, 0) } : {};
  const found = await findSize(exam, list, place);
  if (found === size) confirm(exam, written);
  else if (found === undefined)
    leaveUntested(exam, written, `${size}=${pageLength} gave no page of ${pageLength} objects, nor did other names`);
  else {
    const path = ruleAt(exam, kind, "list", rule);
    const [expected, shown] = [size, found].map((name) => `a page of ${pageLength} objects by ${name}=${pageLength}`);
    refute(exam, { path, expected: expected ?? "", found: shown ?? "", write: nested(path, found) });
  }
  return found;
}

/** Judges where a page that has a successor names it. */
async function examineNext(
  exam: Examination,
  list: ReadList,
  size: string | undefined,
  entry: EntryPath,
): Promise<void> {
  const { rules } = list.reading;
  if (size === undefined) return leaveUntested(exam, entry, "no page is so short that another follows");
  const answer = await askPage(exam, list, { [size]: String(pageLength) });
  if (answer.failure) return leaveUntested(exam, entry, "a page was refused");
  if (nextOf(rules, answer.body, headersOf(answer.head), answer.path)) return confirm(exam, entry);
  const { next } = hintsOfPaging(answer.body, headersOf(answer.head));
  const change = next === undefined ? undefined : { style: "link", next: next === "" ? null : next };
  refute(exam, {
    path: entry,
    expected: `the ${rules.paging.style ?? "next page"} of the next page on a page of ${pageLength} objects`,
    found: next === undefined ? "nothing there" : `an address at ${next === "" ? "the header Link" : next}`,
    ...(change && { write: nested(entry, change) }),
  });
}

/** Judges the size of the largest page: the server may give fewer objects than are asked for. */
async function examineMost(exam: Examination, list: ReadList): Promise<void> {
  const { paging } = list.reading.rules;
  const { size, max_size: most, actual_size: actual } = paging;
  const kind = list.ref.kind.name;
  const rule = ["paging", "max_size"];
  const path = writtenAt(exam, kind, "list", rule);
  if (size === undefined || most === undefined) return;
  if (!isSizeKnown(exam, kind)) return leaveUntested(exam, path, `the parameter for the size is not confirmed`);
  if (list.items.length === most) return confirm(exam, path);
  const asked = await askedBy(exam, list);
  const named = actual === undefined ? namedSize(asked, size) : Number(getPointer(asked.answer.body, actual));
  if (named === most) return confirm(exam, path);
  const { items } = asked;
  const mayBeCut = countsMore(asked) ?? (items.length > 0 && items.length % 5 === 0);
  const isCut = actual === undefined && items.length < most && mayBeCut && (await hasMore(exam, asked));
  // A number that equals the length of a whole list may be just that.
  const isSize = named !== undefined && (named > items.length || actual === undefined || countsMore(asked) === true);
  const isNamed = isSize && named < most && named >= items.length;
  if (!isCut && !isNamed) return leaveUntested(exam, path, `no list with ${most} objects was read`);
  const right = isCut ? items.length : named;
  const wrong = ruleAt(exam, kind, "list", rule);
  refute(exam, {
    path: wrong,
    expected: `a page of up to ${most} objects`,
    found: isCut ? `a page of ${counted(items.length, "object")}, and others on the next` : `a page of up to ${right}`,
    write: nested(wrong, right ?? most),
  });
  if (isCut && countsMore(asked) === true)
    confirm(exam, writtenAt(exam, kind, "list", ["paging", paging.total === undefined ? "total_header" : "total"]));
}

/** Whether answers have shown the parameter for the size of a page. */
function isSizeKnown(exam: Examination, kind: string): boolean {
  const finding = exam.findings.get(pathKey(writtenAt(exam, kind, "list", ["paging", "size"])));
  return finding?.is === "confirmed" || (finding?.is === "refuted" && finding.write !== undefined);
}

/** Returns a list as the repaired contract asks for it. */
async function askedBy(exam: Examination, list: ReadList): Promise<ReadList> {
  const { size, max_size: most } = list.reading.rules.paging;
  if (new URLSearchParams(list.answer.path.split("?")[1]).get(size ?? "") === String(most)) return list;
  const answer = await askPage(exam, list);
  const items = answer.failure ? undefined : recordsAt(list.reading, list.reading.rules, answer.body);
  return items ? { ...list, answer, items } : list;
}

/** The entry that says how a list is paged. */
const pagingEntry = ({ contract }: Examination, kind: string): EntryPath =>
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
