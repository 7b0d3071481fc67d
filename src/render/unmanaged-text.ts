import type { EngineEvent, UnmanagedList } from "../engine/session/events.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";
import type { CollectionId } from "../model/resource.ts";
import { describeFields } from "./change-text.ts";
import { joinSections, largest, layOutText, pad, printable, type Page, paint } from "./layout.ts";
import { columnsOf, counted, plural, someOf, widthOf } from "../lib/shorten.ts";

/** Collections that are named in a plan, and characters of each line: an account may have thousands. */
const namedCollections = 5;
const longestLine = 72;

/** Says how many live resources in the lists that a plan has read the manifest does not name, and where they are. */
export function renderUnmanaged({ unmanaged, incomplete }: Plan, page: Page): string[] {
  if (unmanaged.length === 0) return [];
  const broken = new Set(incomplete.map(({ collection }) => collection));
  const lines = unmanaged.slice(0, namedCollections).map(({ collection, addresses }) => {
    const names = addresses.slice(0, 3).map((address) => nameIn(collection, address));
    const count = countText(addresses.length, !broken.has(collection));
    const text = printable(page, `  ${collection}: ${count} (${someOf(names, 2)}`);
    return `${cutTo(text, Math.min(longestLine, page.width) - 2)})`;
  });
  const more = unmanaged.slice(namedCollections);
  const count = sumOf(more.map(({ addresses }) => addresses));
  const all = countText(sumOf(unmanaged.map(({ addresses }) => addresses)), broken.size === 0, "live resource");
  return [
    ...layOutText(page, `Not managed: ${all} in the lists read (--show-unmanaged names all):`),
    ...lines,
    ...(more.length > 0 ? [`  and ${count} more in ${more.length} other ${plural(more.length, "collection")}`] : []),
  ];
}

/** The live resources that a manifest does not name. */
export type UnmanagedView = Omit<Extract<EngineEvent, { type: "unmanaged" }>, "type">;

/** Lists the live resources that the manifest does not name, by kind and zone, a line for each. */
export function renderUnmanagedLists({ lists, isWhole, reads, ignored }: UnmanagedView, page: Page): string {
  const total = sumOf(lists.map(({ resources }) => resources));
  const more = reads === 0 ? "" : ` (${reads} more ${plural(reads, "read")})`;
  const after = `${ignored === 0 ? "" : `; ${ignored} more ${ignored === 1 ? "is" : "are"} named by ignore:`}${more}`;
  const none = isWhole ? ". The manifest names every live resource" : " in the lists that could be read whole";
  const all = total === 0 ? `nothing${none}${after}.` : `${countText(total, isWhole, "live resource")}${after}`;
  const sections = lists.map(({ collection, isWhole: isListWhole, resources }) => [
    paint(page, "bold", printable(page, `${collection}: ${countText(resources.length, isListWhole)}`)),
    ...layOutResources(resources, page),
  ]);
  const head = layOutText(page, `Not managed: ${all}`);
  return joinSections([head, ...sections]);
}

function layOutResources(resources: UnmanagedList["resources"], page: Page): string[] {
  const widest = Math.min(largest(resources.map(({ address }) => widthOf(printable(page, address)))), 48);
  return resources.map(({ address, values }) => {
    const fields = describeFields(values, page).join("   ");
    const name = printable(page, address);
    const line = `  ${fields === "" ? name : pad(name, widest)}   ${fields}`.trimEnd();
    return cutTo(line, Math.max(page.width - 1, widthOf(name) + 2));
  });
}

/** Returns the beginning of a line that takes more columns than there are. */
const cutTo = (line: string, columns: number) => (widthOf(line) > columns ? `${columnsOf(line, 0, columns)}…` : line);

/** Returns a count. A list that was not read whole may hold more. */
const countText = (count: number, isWhole: boolean, noun?: string): string =>
  `${isWhole ? "" : "at least "}${noun === undefined ? count : counted(count, noun)}`;

const sumOf = (lists: readonly (readonly unknown[])[]) => lists.reduce((sum, { length }) => sum + length, 0);

/** Returns an address as it stands in the list of its collection: without the words that the line has already. */
const nameIn = (collection: CollectionId, address: Address) =>
  address.startsWith(`${collection}/`)
    ? address.slice(collection.length + 1)
    : address.slice(kindOf(address).length + 1);
