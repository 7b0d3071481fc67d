import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Reader } from "../../src/api/connection.ts";
import { readAnswer } from "../../src/api/response.ts";
import type { Json } from "../../src/model/json.ts";
import { collectionOf } from "../../src/kinds/derived/collection.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { readLive } from "../../src/live/read-live.ts";
import { forDraws } from "../support/for-draws.ts";
import {
  contractOf,
  type Domain,
  pageSize,
  possible,
  type Shape,
  type Trouble,
  vendorOf,
} from "../support/listing-vendor.ts";
import { textOf } from "../support/text-of.ts";

const domains = collectionOf(kindNamed("domain"), {});

const shapes: fc.Arbitrary<Shape> = fc
  .record<Shape>({
    style: fc.constantFrom("none", "page", "offset", "cursor", "link"),
    first: fc.constantFrom(0, 1),
    list: fc.constantFrom("", "/data", "/result/items"),
    total: fc.constantFrom("body", "header", "none"),
    link: fc.constantFrom("header", "body"),
    address: fc.constantFrom("whole", "root", "query"),
    asked: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
    cap: fc.integer({ min: 1, max: 8 }),
    keyed: fc.boolean(),
    items: fc.constantFrom("whole", "poor", "ids"),
    past: fc.constantFrom("empty", "last", "first", "missing", "invalid"),
  })
  .filter(possible);

const drawn = fc.record({
  shape: shapes,
  count: fc.nat({ max: 30 }),
  where: fc.option(fc.constantFrom("a", "b"), { nil: undefined }),
});

const someDomains = (count: number): Domain[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    name: `d${index}.example`,
    type: index % 3 === 0 ? "a" : "b",
  }));

const conditionOn = (type: string | undefined) =>
  type === undefined ? {} : { where: [{ pointer: "/type", equals: [type] }] };

async function read(
  shape: Shape,
  held: readonly Domain[],
  { type, before }: { type?: string | undefined; before?: (nth: number) => Trouble } = {},
) {
  const contract = contractOf(shape, conditionOn(type));
  const { reader, paths } = vendorOf(shape, held, contract, before);
  const live = await readLive(reader, contract, [domains]);
  if (!live.ok) return { names: [], incomplete: live.error.message, paths };
  const found = [...live.value.resources.values()];
  const { incomplete } = live.value.collections.get(domains.id) ?? {};
  expect(live.value.reads).toBe(paths.length);
  return { names: found.map(({ key }) => key["name"] ?? "").toSorted(), incomplete, paths };
}

const namesOf = (held: readonly Domain[], type?: string) =>
  held
    .filter((each) => type === undefined || each.type === type)
    .map(({ name }) => name)
    .toSorted();

test("a list holds exactly the vendor's objects, whatever the style of its pages, in the fewest requests that prove it", () =>
  forDraws(900, drawn, async ({ shape, count, where }) => {
    const held = someDomains(count);
    const { names, incomplete, paths } = await read(shape, held, { type: where });
    expect(incomplete).toBeUndefined();
    expect(names).toEqual(namesOf(held, where));
    const details = shape.items === "whole" ? 0 : count;
    expect(paths.length - details).toBeLessThanOrEqual(Math.ceil(count / pageSize(shape)) + 2);
    expect(paths.every((path) => path.startsWith("/v7/domains"))).toBe(true);
  }));

type Fault =
  | { readonly is: "fails" | "repeats"; readonly at: number }
  | { readonly is: "miscounts"; readonly by: number }
  | { readonly is: "removed" | "inserted"; readonly at: number; readonly place: number };

const faults: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ is: fc.constantFrom("fails" as const, "repeats" as const), at: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ is: fc.constant("miscounts" as const), by: fc.integer({ min: -12, max: 12 }).filter((by) => by !== 0) }),
  fc.record({
    is: fc.constantFrom("removed" as const, "inserted" as const),
    at: fc.integer({ min: 2, max: 9 }),
    place: fc.nat({ max: 30 }),
  }),
);

/** Does a fault to a vendor's domains, and to its answers. */
function inflict(fault: Fault, held: Domain[]): (nth: number) => Trouble {
  return (nth) => {
    if (fault.is === "miscounts") return { wrongBy: Math.max(fault.by, -held.length) };
    if (fault.at !== nth) return {};
    if (!("place" in fault)) return { fails: fault.is === "fails", repeats: fault.is === "repeats" };
    const added = { id: 99, name: "new.example", type: "a" };
    if (fault.is === "removed") held.splice(fault.place % Math.max(held.length, 1), 1);
    else held.splice(fault.place % (held.length + 1), 0, added);
    return {};
  };
}

test("a list that is counted is never short and called whole: what goes wrong while it is read leaves it right or incomplete", async () => {
  let judged = 0;
  await forDraws(1500, drawn, faults, async ({ shape, count }, fault) => {
    // A count of just what one page holds is believed where nothing says how much that is.
    const isBelieved = fault.is === "miscounts" && shape.asked === undefined && count + fault.by === shape.cap;
    fc.pre(!isBelieved || shape.style === "none");
    const held = someDomains(count);
    const earlier = namesOf(held);
    const { names, incomplete, paths } = await read(shape, held, { before: inflict(fault, held) });
    expect(paths.length).toBeLessThan(3 * count + 60);
    const isFailed = fault.is === "fails" && paths.length >= fault.at;
    if (isFailed) expect(incomplete).toMatch(/down/u);
    if (shape.total === "none" || incomplete !== undefined) return;
    judged += 1;
    expect([JSON.stringify(earlier), JSON.stringify(namesOf(held))]).toContain(JSON.stringify(names));
  });
  expect(judged).toBeGreaterThan(0);
});

test("a counted list that changes once while it is read is read again, and is whole then", async () => {
  const counted = drawn.filter(
    ({ shape: { total, style, items } }) =>
      total !== "none" && (style === "page" || style === "offset") && items === "whole",
  );
  const changes = faults.filter(({ is }) => is === "removed" || is === "inserted");
  let judged = 0;
  await forDraws(300, counted, changes, async ({ shape, count }, fault) => {
    const held = someDomains(count);
    const earlier = namesOf(held);
    const { names, incomplete, paths } = await read(shape, held, { before: inflict(fault, held) });
    if ("at" in fault && paths.length >= fault.at) judged += 1;
    expect(incomplete).toBeUndefined();
    expect([earlier, namesOf(held)]).toContainEqual(names);
  });
  expect(judged).toBeGreaterThan(0);
});

test("a counted list that changes at each second request is read until it is still, and is whole then", async () => {
  const counted = drawn.filter(
    ({ shape: { total, style, items, past }, count }) =>
      total !== "none" && style === "page" && items === "whole" && past === "empty" && count > 0,
  );
  await forDraws(300, counted, async ({ shape, count }) => {
    const held = someDomains(count);
    const before = (nth: number) => {
      if (nth % 2 === 0 && nth <= 12) held.unshift({ id: 100 + nth, name: `new${nth}.example`, type: "a" });
      return {};
    };
    const { names, incomplete } = await read(shape, held, { before });
    expect([incomplete, names?.toSorted()]).toEqual([undefined, namesOf(held).toSorted()]);
  });
});

const plain: Shape = {
  style: "none",
  first: 1,
  list: "",
  total: "none",
  link: "header",
  address: "whole",
  asked: undefined,
  cap: 5,
  keyed: false,
  items: "ids",
  past: "empty",
};

/** Reads a list with a vendor's own answers: by path, a body or the status of a refusal. */
async function readFrom(shape: Shape, answer: (path: string, nth: number) => { body: Json; link?: string } | number) {
  const contract = contractOf(shape);
  let asked = 0;
  let [now, most] = [0, 0];
  const reader: Reader = {
    get: async ({ path, query = {}, rules = contract }) => {
      asked += 1;
      most = Math.max(most, (now += 1));
      await Promise.resolve();
      now -= 1;
      const search = new URLSearchParams(query).toString();
      const whole = search === "" ? path : `${path}?${search}`;
      const told = answer(whole, asked);
      const { body, link } = typeof told === "number" ? { body: { message: "no" }, link: undefined } : told;
      return readAnswer(
        rules,
        { method: "GET", path: whole, attempts: 1, baseUrl: new URL("https://vendor.example/api") },
        {
          status: typeof told === "number" ? told : 200,
          header: (name) => (name === "link" ? link : undefined),
          body: textOf(Buffer.from(JSON.stringify(body))),
        },
        (text) => text,
      );
    },
  };
  const live = await readLive(reader, contract, [domains]);
  const collection = live.ok ? live.value.collections.get(domains.id) : undefined;
  return { incomplete: collection?.incomplete, addresses: collection?.addresses, asked, most };
}

describe("records that are read one by one", () => {
  const idOf = (path: string) => Number(path.split("/").at(-1));
  const isList = (path: string) => path.endsWith("/domains");
  const whole = (path: string) => ({ body: { id: idOf(path), name: `d${idOf(path)}.example` } });

  test("are asked for eight at a time, and two thousand at most", async () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index);
    const full = await readFrom(plain, (path) => (isList(path) ? { body: ids(2000) } : whole(path)));
    expect(full).toMatchObject({ incomplete: undefined, addresses: { length: 2000 }, asked: 2001, most: 8 });
    const more = await readFrom(plain, (path) => (isList(path) ? { body: ids(2001) } : whole(path)));
    expect(more).toMatchObject({ incomplete: expect.stringContaining("2001 objects"), asked: 1, addresses: [] });
  });

  test("may be gone since; but not where they are listed still, for then the address of each is wrong", async () => {
    const gone = await readFrom(plain, (path, nth) =>
      isList(path) ? { body: nth === 1 ? [1, 2, 3] : [1, 3] } : idOf(path) === 2 ? 404 : whole(path),
    );
    expect(gone).toMatchObject({ incomplete: undefined, addresses: ["domain/d1.example", "domain/d3.example"] });
    const wrong = await readFrom(plain, (path) => (isList(path) ? { body: [1, 2, 3] } : 404));
    expect(wrong.incomplete).toMatch(/the object 1 is listed, and is not there/u);
  });

  test.each<[string, Json, (path: string) => { body: Json } | number, RegExp]>([
    ["another object", [1], () => ({ body: { id: 2, name: "d2.example" } }), /the answer is another object/u],
    ["no object", [1], () => ({ body: [] }), /the answer is not a record/u],
    ["a refusal", [1], () => 422, /422/u],
    ["an id that leads elsewhere", ["../zones"], whole, /without a usable id/u],
    ["an empty id", [""], whole, /without a usable id/u],
    ["an item that is no id", [null], whole, /expected a list/u],
    ["an id twice", [1, 1], whole, /came twice/u],
  ])("leave the list incomplete for %s", async (_name, ids, answer, reason) => {
    const { incomplete } = await readFrom(plain, (path) => (isList(path) ? { body: ids } : answer(path)));
    expect(incomplete).toMatch(reason);
  });
});

describe("the next page", () => {
  const domain = { id: 1, name: "d1.example" };
  const linked: Shape = { ...plain, style: "link", items: "whole" };

  test.each([
    "https://elsewhere.example/api/v7/domains?p=2",
    "http://vendor.example/api/v7/domains?p=2",
    "//elsewhere.example/api/v7/domains",
    "/v7/domains?p=2",
    "/api/v8/domains?p=2",
    "/api/v7/../v8/domains",
    "/api/v7/%2e%2e/v8/domains",
    "https://vendor.example@elsewhere.example/api/v7/domains",
    "javascript:alert(1)",
    "https://[",
  ])("is asked for only below the API's own address: not %s", async (address) => {
    const { asked, incomplete } = await readFrom(linked, () => ({ body: [domain], link: `<${address}>; rel=next` }));
    expect(asked).toBe(1);
    expect(incomplete).toContain("is not below the API's own address");
  });

  test.each([
    ["no link is named next", `<https://elsewhere.example/>; rel="prev", </api/v7/domains>; rel=nextday`],
    ["the header is broken", `<<<>>;;; rel=next="`],
  ])("is not asked for where %s", async (_name, link) => {
    expect(await readFrom(linked, () => ({ body: [domain], link }))).toMatchObject({ asked: 1, incomplete: undefined });
  });

  test.each<[string, Json, string | undefined]>([
    ["a list", ["x"], "the link to the next page is"],
    ["an object", { a: 1 }, "the link to the next page is"],
    ["true", true, "the link to the next page is"],
    ["null", null, undefined],
    ["empty", "", undefined],
    ["false", false, undefined],
  ])("that is %s is no cursor", async (_name, next, reason) => {
    const shape: Shape = { ...plain, style: "cursor", items: "whole", list: "/data" };
    const { asked, incomplete } = await readFrom(shape, () => ({ body: { data: [domain], next } }));
    expect(asked).toBe(1);
    if (reason === undefined) expect(incomplete).toBeUndefined();
    else expect(incomplete).toContain(reason);
  });

  test("that never ends is not read for ever: each cursor is asked for once, and each object is to be new", async () => {
    const shape: Shape = { ...plain, style: "cursor", items: "whole", list: "/data" };
    const again = await readFrom(shape, (_path, nth) => ({ body: { data: [domain], next: nth } }));
    expect(again).toMatchObject({ asked: 2, incomplete: expect.stringContaining("leads back") });
    const empty = await readFrom(shape, () => ({ body: { data: [], next: "a" } }));
    expect(empty).toMatchObject({ asked: 2, incomplete: expect.stringContaining("leads back") });
    const endless = await readFrom(shape, (_path, nth) => ({ body: { data: [], next: nth } }));
    expect(endless).toMatchObject({ asked: 10_001, incomplete: expect.stringContaining("does not end") });
  });
});
