import type { Address } from "../model/address.ts";
import type { Position } from "../model/diagnostic.ts";
import type { Plan, Refusal } from "../model/plan.ts";
import { allowingFlags } from "./allowing-flags.ts";
import { escapeControls } from "./escape.ts";
import type { Paint } from "./paint.ts";

/** From so many refusals on a cause that they share is told once, and of their addresses at most so many are listed. */
const fewestTogether = 3;
const mostListed = 10;

/** What is refused, and the consent that each needs; a cause that many share is told once, with their addresses. */
export function renderRefusals(plan: Pick<Plan, "refusals" | "steps">, paint: Paint): string {
  const { refusals } = plan;
  if (refusals.length === 0) return "";
  const flags = allowingFlags(plan);
  const which = refusals.every(({ flag }) => flag !== undefined) ? "all of it" : "what flags can allow";
  return [
    paint("bold", `Refused: ${refusals.length}. Nothing will be changed until each is allowed or taken out.`),
    ...groupByCause(refusals).flatMap((group) => renderGroup(group, paint)),
    ...(flags.length > 0 ? [`  ${paint("cyan", `to allow ${which}:`)} ${escapeControls(flags.join(" "))}`] : []),
  ].join("\n");
}

/** Refusals whose words differ in nothing but their own addresses, in the order of the first of each. */
function groupByCause(refusals: readonly Refusal[]): Refusal[][] {
  const groups = new Map<string, Refusal[]>();
  for (const refusal of refusals) {
    const { code, summary, hint } = withAddressAs(refusal, "\0", "\0");
    const cause = JSON.stringify([code, summary, hint]);
    const group = groups.get(cause);
    if (group) group.push(refusal);
    else groups.set(cause, [refusal]);
  }
  return [...groups.values()].flatMap((group) =>
    group.length < fewestTogether ? group.map((refusal) => [refusal]) : [group],
  );
}

function withAddressAs(refusal: Refusal, inSummary: string, inHint: string): Refusal {
  const { address, summary, hint } = refusal;
  if (address === undefined) return refusal;
  return { ...refusal, summary: replaceWhole(summary, address, inSummary), hint: replaceWhole(hint, address, inHint) };
}

/** An address may be the beginning of another one: www/A of www/ALIAS. */
function replaceWhole(text: string, address: Address, word: string): string {
  const start = text.indexOf(address);
  const rest = text.slice(start + address.length);
  return start === -1 || /^[^\s:,;]/u.test(rest) ? text : `${text.slice(0, start)}${word}${rest}`;
}

function renderGroup(group: readonly Refusal[], paint: Paint): string[] {
  const [first] = group;
  if (!first) return [];
  const { summary, hint, at } =
    group.length === 1 ? first : withAddressAs(first, `each of these ${group.length}`, "ADDRESS");
  const place = group.length === 1 ? placeOf(at) : "";
  return [
    `${paint("red", "  ✗")} ${escapeControls(summary)}${place}`,
    ...(group.length === 1 ? [] : listAddresses(group)),
    `      ${paint("cyan", `${labelOf(hint)}:`)} ${escapeControls(hint)}`,
  ];
}

function listAddresses(group: readonly Refusal[]): string[] {
  const more = group.length - mostListed;
  return [
    ...group.slice(0, mostListed).map(({ address, at }) => `      ${escapeControls(address ?? "")}${placeOf(at)}`),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ];
}

const placeOf = (at: Position | undefined) => (at ? ` (${escapeControls(at.file)}:${at.line})` : "");

/** Most hints are a flag, which stands for itself; the others say in a sentence what to do, as those of diagnostics do. */
const labelOf = (hint: string) => (hint.startsWith("--") ? "to allow it" : "help");
