import type { PagingRules } from "../../model/contract.ts";
import type { Operation } from "./operations.ts";
import { placesIn, type InnerShape, type Schemas } from "./shape.ts";
import { plainName } from "./words.ts";

const sizes = ["per_page", "page_size", "limit", "page_limit", "size", "max_results", "count", "items_per_page"];
const pages = ["page", "page_number", "page_no", "current_page", "page_index"];
const offsets = ["offset", "skip", "start", "start_index"];
const cursors = ["cursor", "page_token", "next_token", "starting_after", "after", "continuation_token", "marker"];
const nexts = [
  "next_cursor",
  "next_page_token",
  "next_token",
  "cursor_after",
  "cursors_after",
  "after",
  "next_marker",
  "cursor",
  "next",
];
const totals = [
  "total_count",
  "total_entries",
  "total",
  "total_items",
  "total_results",
  "total_records",
  "items_total",
];

/** The number of objects to ask for where a description has no maximum. */
const usualSize = 100;

/** Drafts how the pages of a list are asked for, from the parameters of its query and the properties of its answer. */
export function draftPaging(schemas: Schemas, { parameters, answer, answerHeaders }: Operation): PagingRules {
  const query = parameters.filter((each) => each.in === "query");
  const named = (names: readonly string[]) => {
    const plain = names.map(plainName);
    return [...query]
      .sort((one, other) => plain.indexOf(plainName(one.name)) - plain.indexOf(plainName(other.name)))
      .find(({ name }) => plain.includes(plainName(name)));
  };
  const places = answer ? placesIn(schemas, answer) : [];
  const at = (names: readonly string[]) => placeNamed(places, names);
  const total = at(totals);
  const header = answerHeaders.find((name) => /total/iu.test(name) && !/page/iu.test(name.replace(/pagination/iu, "")));
  const size = named(sizes);
  const counts = {
    ...(size && {
      size: size.name,
      max_size: Math.min(size.shape.maximum ?? Math.max(size.shape.preset ?? 0, usualSize), 1000),
    }),
    ...(total
      ? { total: total.pointer, ...fullPage(places, total) }
      : header !== undefined && { total_header: header }),
    assumed: true,
  };
  const offset = named(offsets);
  if (offset) return { style: "offset", page: offset.name, ...counts };
  const page = named(pages);
  if (page) return { page: page.name, ...(page.shape.minimum === 0 && { first: 0 as const }), ...counts };
  const cursor = named(cursors);
  const next = at(nexts);
  if (cursor && next) return { style: "cursor", page: cursor.name, next: next.pointer, ...counts };
  if (answerHeaders.some((name) => name.toLowerCase() === "link")) return { style: "link", ...counts };
  const { size: _size, max_size: _most, ...rest } = counts;
  return { style: "none", ...rest };
}

/** Finds a value by its name, with or without that of the object around it; nothing inside of the list itself. */
function placeNamed(places: readonly InnerShape[], names: readonly string[]): InnerShape | undefined {
  for (const name of names.map(plainName)) {
    const found = places.find(
      ({ names: path, shape }) =>
        shape.properties.size === 0 &&
        shape.items.length === 0 &&
        (plainName(path.at(-1) ?? "") === name || plainName(path.slice(-2).join("_")) === name),
    );
    if (found) return found;
  }
  return undefined;
}

/** The size of a full page stands beside the total. */
function fullPage(places: readonly InnerShape[], { pointer }: InnerShape): Pick<PagingRules, "actual_size"> {
  const beside = pointer.slice(0, pointer.lastIndexOf("/"));
  const found = places.find(
    (place) =>
      place.pointer.slice(0, place.pointer.lastIndexOf("/")) === beside &&
      ["perpage", "pagesize", "limit"].includes(plainName(place.names.at(-1) ?? "")),
  );
  return found ? { actual_size: found.pointer } : {};
}
