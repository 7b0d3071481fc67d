import { kindOf } from "../model/address.ts";
import { cellOf, largest, layOut, layOutText, pad, paint, printable, type Page } from "./layout.ts";
import { describeTally, groupSteps, largestGroups, subjectsIn, type NumberedStep } from "./plan-groups.ts";
import { layOutStep, signs } from "./step-text.ts";
import { counted, widthOf } from "../lib/shorten.ts";

/** Domains and services of a folded plan that are named, those with most steps first. */
const mostGroups = 30;

/** The widest column of names that the cells beside them wait for. */
const widestName = 40;

/** Lists steps by the domain or service that they are about; those that are alone in theirs stand together at the end. */
export function listSteps(steps: readonly NumberedStep[], page: Page): string[][] {
  const groups = [...groupSteps(steps)];
  if (groups.length === 1) return [listTogether(steps, page)];
  const alone = groups.flatMap(([, group]) => (group.length === 1 ? group : []));
  return [
    ...groups
      .filter(([, group]) => group.length > 1)
      .map(([name, group]) => [paint(page, "bold", printable(page, name)), ...listTogether(group, page)]),
    listTogether(alone, page),
  ];
}

/** Lists steps in aligned columns. */
export function listTogether(steps: readonly NumberedStep[], page: Page): string[] {
  const replaces = steps.some(({ step }) => step.replaces);
  const widths = steps.map(({ step }) => widthOf(printable(page, step.address)));
  const view = {
    numberWidth: largest(steps.map(({ number = 0 }) => String(number).length)),
    signWidth: replaces ? signs.replace.length : 1,
    addressWidth: Math.min(widestName, largest(widths)),
  };
  return steps.flatMap((each) => layOutStep(each, view, page));
}

/** Counts steps by kind, and by domain or service. */
export function foldSteps(steps: readonly NumberedStep[], hasOthers: boolean, page: Page): string[][] {
  if (steps.length === 0) return [];
  const all = steps.map(({ step }) => step);
  const kinds = largestGroups(all, kindOf);
  const groups = largestGroups(all, subjectsIn(all));
  const more = groups.slice(mostGroups);
  const rest = more.flatMap(([, group]) => group).length;
  const title = `${hasOthers ? "The other " : ""}${counted(steps.length, "step")}, by kind and by domain or service (--full shows each):`;
  return [
    [...layOutText(page, paint(page, "bold", title)), ...listTallies(kinds, page)],
    [
      ...listTallies(groups.slice(0, mostGroups), page),
      ...(more.length > 0 ? [`  and ${counted(rest, "step")} in ${more.length} other domains or services`] : []),
    ],
  ];
}

function listTallies(groups: ReturnType<typeof largestGroups>, page: Page): string[] {
  const names = groups.map(([name]) => printable(page, name));
  const width = Math.min(widestName, largest(names.map(widthOf)));
  return groups.flatMap(([, steps], index) =>
    layOut(page, [[`  ${pad(names[index] ?? "", width)}`], cellOf(describeTally(steps))], 4),
  );
}
