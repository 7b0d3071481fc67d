import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { listAll } from "../../src/api/read-list.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { Json } from "../../src/model/json.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { forDraws } from "../support/for-draws.ts";

const objects = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ id: `o${from + index}` }));
const pageOf = (data: Json, total: Json, meta: Record<string, Json> = {}) => ({ data, meta: { total, ...meta } });

/**
 * Reads a list whose pages are answered so; a text stands for a failure, and null for a page that is not found.
 * @param fullest the most objects that a page of such a list has held.
 */
async function read(answer: (page: number) => Json, fullest = 0) {
  let asked = 0;
  const reader: Reader = {
    fullest: new Map([["/x", fullest]]),
    get: async ({ query = {} }) => {
      asked += 1;
      // As over a network, so that requests are under way together.
      await Promise.resolve();
      const body = answer(Number(query["page"]));
      const failure: Failure = {
        sort: "server_error",
        method: "GET",
        path: "/x",
        status: 503,
        message: "",
        attempts: 6,
      };
      if (body === null) return { ok: false, error: { ...failure, sort: "not_found", status: 404 } };
      if (typeof body === "string") return { ok: false, error: { ...failure, message: body } };
      return { ok: true, value: { status: 200, body, location: undefined, requestId: undefined, attempts: 1 } };
    },
  };
  const listing = await listAll(reader, builtIn, { path: "/x", query: {}, idOf: ({ id }) => JSON.stringify(id) });
  expect(listing.reads).toBe(asked);
  return listing;
}

test("a list of many pages is whole, and its first page is read twice", async () => {
  const { items, incomplete, reads } = await read((page) =>
    pageOf(objects(page < 100 ? 10 : 9, page * 10), 999, { per_page: 10 }),
  );
  expect(items).toHaveLength(999);
  expect({ incomplete, reads }).toEqual({ incomplete: undefined, reads: 101 });
});

/** How a server answers a page after the last. */
const pastEnd = {
  empty: () => [],
  "the last again": (pages: readonly Json[]) => pages.at(-1) ?? [],
  "the first again": (pages: readonly Json[]) => pages[0] ?? [],
  "not found": () => undefined,
};

test("a list is whole only if nothing stands after its last page, whatever its count says", async () => {
  const drawn = fc.record({
    count: fc.nat({ max: 30 }),
    size: fc.integer({ min: 1, max: 10 }),
    short: fc.nat({ max: 12 }),
    isSizeTold: fc.boolean(),
    seen: fc.nat({ max: 10 }),
    past: fc.constantFrom(...Object.values(pastEnd)),
  });
  await forDraws({ numRuns: 300 }, drawn, async ({ count, size, short, isSizeTold, seen, past }) => {
    const pages = Array.from({ length: Math.ceil(count / size) }, (_, index) =>
      objects(Math.min(size, count - index * size), index * size),
    );
    const total = Math.max(count - short, 0);
    const listing = await read(
      (page) => {
        const data = pages[page - 1] ?? (page === 1 ? [] : past(pages));
        return data === undefined ? null : pageOf(data, total, isSizeTold ? { per_page: size } : {});
      },
      Math.min(seen, size),
    );
    expect(listing.incomplete === undefined).toBe(total === count);
    if (listing.incomplete !== undefined) return;
    expect(listing.items).toHaveLength(count);
    const isLastFull =
      count > 0 && (pages.length === 1 ? count >= (isSizeTold ? size : Math.min(seen, size)) : count % size === 0);
    expect(listing.reads).toBe(Math.max(pages.length, 1) + (pages.length > 1 ? 1 : 0) + (isLastFull ? 1 : 0));
  });
});

test.each([
  ["fails", "down", /down/u],
  ["counts otherwise", pageOf([], 11, { per_page: 10 }), /changed while it was read/u],
])("a list is not whole where the page after its last %s", async (_name, past, reason) => {
  const listing = await read((page) => (page === 1 ? pageOf(objects(10), 10, { per_page: 10 }) : past));
  expect(listing.incomplete).toMatch(reason);
  expect(listing.reads).toBe(2);
});

describe("a list is not read on", () => {
  test("once a page has failed", async () => {
    const listing = await read((page) => (page === 3 ? "down" : pageOf(objects(100, page * 100), 50_000)));
    expect(listing).toMatchObject({ incomplete: expect.stringContaining("down"), failure: { status: 503 } });
    expect(listing.reads).toBeLessThan(50);
  });

  test.each([
    ["is the first again", () => objects(100), 20_000],
    ["is shorter than the first", (page: number) => objects(page === 1 ? 100 : 1, page * 100), 20_000],
    ["counts otherwise", (page: number) => objects(100, page * 100), (page: number) => 20_000 + page],
  ])("once a page %s", async (_name, data, total) => {
    const listing = await read((page) => pageOf(data(page), typeof total === "number" ? total : total(page)));
    expect(listing.incomplete).toMatch(/contradict each other|changed while it was read/u);
    expect(listing.reads).toBeLessThan(50);
  });

  test("where its first page holds less than it says that a page does, and there are to be more", async () => {
    const listing = await read((page) => pageOf(objects(1, page), 20_000, { per_page: 100 }));
    expect(listing.incomplete).toBe("the server counts 20000 objects, 100 on a page, and its first page held 1");
    expect(listing.reads).toBe(1);
  });

  test("where there would be more pages than any account has", async () => {
    const listing = await read((page) => pageOf(objects(10, page * 10), 1_000_000));
    expect(listing).toMatchObject({ reads: 1, incomplete: expect.stringContaining("100000 pages") });
  });
});

test("a page of far more than was asked for is refused", async () => {
  const listing = await read(() => pageOf(objects(1001), 1001));
  expect(listing).toMatchObject({
    items: [],
    failure: { sort: "malformed", message: "the server sent a page of 1001 objects instead of 100" },
  });
  expect(await read(() => pageOf(objects(1000), 1000))).toMatchObject({ reads: 2, items: { length: 1000 } });
});
