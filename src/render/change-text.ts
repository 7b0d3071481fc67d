import { isDeepStrictEqual } from "node:util";
import type { Json } from "../model/json.ts";
import type { Change, Shown } from "../model/plan.ts";
import { printable, type Page, paint } from "./layout.ts";

/** The name of the field that every value of a set has: the values stand for themselves. */
const nameless = "value";

/** A field that changes: its sign (`+`, `~`, `-`, or a blank for what stays), its name, and the rest. */
export interface ChangeText {
  readonly sign: string;
  readonly name: string;
  readonly text: string;
}

/** Returns the fields of a resource that is made or removed, in as few words as possible: the values of a set are one list. */
export function describeFields(changes: readonly Change[], page: Page): string[] {
  const values = changes.filter(({ path }) => path === nameless).map((change) => describeShown(sideOf(change), page));
  return [
    ...(values.length > 0 ? [values.join(", ")] : []),
    ...changes
      .filter(({ path }) => path !== nameless)
      .map((change) => `${printable(page, change.path)} ${describeShown(sideOf(change), page)}`),
  ];
}

const sideOf = ({ before, after }: Change) => (after.is === "absent" ? before : after);

/** Returns whether an action only makes or removes something: of each field there is one side. */
export const isOneSided = (changes: readonly Change[], action: string): boolean =>
  changes.every(isPlain) && (action === "create" || action === "delete");

/** Returns whether a change only sets a field of something new, or only names a field of something that goes. */
const isPlain = ({ before, after, forcesReplace, carried, notCarried }: Change): boolean =>
  (before.is === "absent" || after.is === "absent") && !forcesReplace && !carried && notCarried === undefined;

/** Returns how a field changes, with both sides. `arrow`: between them. */
export function describeChange(change: Change, page: Page, arrow = "->"): ChangeText {
  const { path, before, after, forcesReplace, carried, notCarried } = change;
  const name = path === nameless ? "" : printable(page, path);
  const [old, made] = [describeShown(before, page), describeShown(after, page)];
  if (carried && isDeepStrictEqual(before, after))
    return { sign: " ", name, text: `${made} ${paint(page, "dim", "(carried over)")}` };
  if (notCarried !== undefined) {
    const lost = paint(page, "red", `(not carried over: ${printable(page, notCarried)})`);
    return { sign: "-", name, text: `${old} ${lost}` };
  }
  if (before.is === "value" && isDeepStrictEqual(before, after)) return { sign: " ", name, text: made };
  const forces = forcesReplace ? paint(page, "red", " (forces replacement)") : "";
  if (before.is === "absent") return { sign: "+", name, text: made + forces };
  if (after.is === "absent") return { sign: "-", name, text: old + forces };
  return { sign: "~", name, text: `${old} ${arrow} ${made}${forces}` };
}

/** Returns the changes of an action in as few words as fit beside an address. `arrow`: between both sides. */
export const changesInBrief = (changes: readonly Change[], action: string, page: Page, arrow?: string): string[] =>
  isOneSided(changes, action)
    ? describeFields(changes, page)
    : changes.map((change) => {
        const { sign, name, text } = describeChange(change, page, arrow);
        return [sign === "~" ? "" : sign, name, text].filter((part) => part.trim() !== "").join(" ");
      });

/** Returns one side of a change in a few words. */
export function describeShown(shown: Shown, page: Page): string {
  switch (shown.is) {
    case "value":
      return describeValue(shown.value, page);
    case "sensitive":
      return `(sensitive${describeSource(shown, page)})`;
    case "known_after_apply":
      return `(known after apply${describeSource(shown, page)})`;
    case "absent":
      return "(none)";
  }
}

const describeSource = ({ from }: { readonly from?: string }, page: Page) =>
  from === undefined ? "" : `, from ${printable(page, from)}`;

/** Returns a value as a manifest may write it: in quotes only where YAML or the reader needs them. */
function describeValue(value: Json, page: Page): string {
  if (Array.isArray(value)) return `[${value.map((each) => describeValue(each, page)).join(", ")}]`;
  // Record contents bring their own quotes; a second pair around them would only be in the way.
  if (typeof value === "string" && value.startsWith('"')) return printable(page, value);
  // The shortest secrets are known by the quotes around them, so quotes are removed last.
  const text = printable(page, JSON.stringify(value));
  return text.startsWith('"') && isPlainScalar(text.slice(1, -1)) ? text.slice(1, -1) : text;
}

const literals: ReadonlySet<string> = new Set(["true", "false", "null", "yes", "no", "on", "off"]);

/** Returns whether YAML reads a text without quotes as this text, and a reader cannot take it for anything else. */
const isPlainScalar = (text: string) =>
  /^[\w/.][\w./+=@*~;?%:-]*(?: [\w./+=@*~;?%:-]+)*$/u.test(text) &&
  !/:(?: |$)/u.test(text) &&
  Number.isNaN(Number(text)) &&
  !literals.has(text.toLowerCase());
