import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readContent } from "../../src/emulator/dns/record-content.ts";
import { recordTypeOf } from "../../src/kinds/dns/record-content.ts";
import { forDraws } from "../support/for-draws.ts";
import { opaque } from "../support/forms/wire.ts";
import { size } from "../proofs/size.ts";

/** The keys that a client must know, under `mandatory` (RFC 9460 section 8): ascending on the wire, in any order in text. */
const parameters: Readonly<Record<number, readonly [name: string, text: string, hex: string]>> = {
  1: ["alpn", "alpn=h2", "026832"],
  2: ["no-default-alpn", "no-default-alpn", ""],
  3: ["port", "port=443", "01bb"],
  4: ["ipv4hint", "ipv4hint=192.0.2.1", "c0000201"],
  5: ["ech", "ech=AAAA", "000000"],
  6: ["ipv6hint", "ipv6hint=2001:db8::1", "20010db8000000000000000000000001"],
  7: ["dohpath", "dohpath=/q{?dns}", "2f717b3f646e737d"],
  667: ["key667", "key667=hello", "68656c6c6f"],
  65_534: ["key65534", "key65534", ""],
};
const numbers = Object.keys(parameters).map(Number);
const nameOf = (number: number) => parameters[number]?.[0] ?? "mandatory";
const textOf = (number: number) => parameters[number]?.[1] ?? "";
const u16 = (number: number) => number.toString(16).padStart(4, "0");

const refusers = (content: string) => [
  ...(recordTypeOf("HTTPS").check(content) === undefined ? [] : ["client"]),
  ...("problem" in readContent("HTTPS", content) ? ["service"] : []),
];
const normal = (content: string) => recordTypeOf("HTTPS").normalise(content, "example.com");

/** Wire data of `1 .` with these parameters behind `mandatory`. */
const wire = (listed: readonly number[], present: readonly number[]) => {
  const one = (number: number, hex: string) => `${u16(number)}${u16(hex.length / 2)}${hex}`;
  const rest = present.map((number) => one(number, parameters[number]?.[2] ?? ""));
  return opaque(Buffer.from(`000100${one(0, listed.map(u16).join(""))}${rest.join("")}`, "hex"));
};

const present = fc.subarray(numbers, { minLength: 1 });
/** Present keys and some of them, each in an order of its own. */
const drawn = present.chain((keys) => {
  const all = { minLength: keys.length, maxLength: keys.length };
  return fc.tuple(
    fc.constant(keys),
    fc.shuffledSubarray(keys, { minLength: 1 }),
    fc.shuffledSubarray(keys, all),
    fc.infiniteStream(fc.boolean()),
  );
});
const ascending = (listed: readonly number[]) => [...listed].sort((a, b) => a - b);

/** The text of `1 .` with `mandatory` among its parameters; keys by name or by number, the list quoted or not. */
function write(listed: readonly number[], order: readonly number[], coins: Iterator<boolean>): string {
  const coin = () => coins.next().value === true;
  const list = listed.map((number) => (coin() ? nameOf(number) : `key${number}`)).join(",");
  const bytes = ascending(listed).flatMap((number) => [number >> 8, number & 255]);
  const escaped = bytes.map((byte) => `\\${String(byte).padStart(3, "0")}`).join("");
  const mandatory = coin()
    ? `mandatory=${coin() ? list : `"${list}"`}`
    : coin()
      ? `mandatory=${list}`
      : `key0=${escaped}`;
  const texts = order.map(textOf);
  return ["1 .", ...(coin() ? [mandatory, ...texts] : [...texts, mandatory])].join(" ");
}

describe("mandatory", () => {
  test("in any order, spelling and form is the same record", () =>
    forDraws({ numRuns: 3 * size.recordForms }, drawn, ([keys, listed, order, coins]) => {
      const [text, plain] = [write(listed, order, coins), write(ascending(listed), keys, [true, true].values())];
      const bytes = wire(ascending(listed), keys);
      for (const each of [text, plain, bytes]) expect(refusers(each), each).toEqual([]);
      expect([normal(text), normal(bytes)]).toEqual([normal(plain), normal(plain)]);
    }));

  test("with a key twice, with itself, or with a key that is not there is refused by both", async () => {
    const wrong = fc.constantFrom("twice", "itself", "absent");
    await forDraws(
      { numRuns: 3 * size.recordForms },
      drawn,
      wrong,
      fc.boolean(),
      ([keys, listed, order, coins], how, isWire) => {
        const other = numbers.find((number) => !keys.includes(number));
        const odd = how === "twice" ? listed[0] : how === "itself" ? 0 : other;
        fc.pre(odd !== undefined);
        const all = [...listed, odd ?? 0];
        const text = isWire ? wire(ascending(all), keys) : write(all, order, coins);
        expect(refusers(text), text).toEqual(["client", "service"]);
      },
    );
  });

  test("in bytes whose keys do not ascend is refused by both", () =>
    forDraws({ numRuns: 3 * size.recordForms }, drawn, ([keys, listed, order]) => {
      const isAscending = (list: readonly number[]) => list.join() === ascending(list).join();
      const text = wire(listed, order);
      expect(refusers(text), text).toEqual(isAscending(listed) && isAscending(order) ? [] : ["client", "service"]);
      if (!isAscending(listed)) expect(refusers(wire(listed, keys))).toEqual(["client", "service"]);
    }));
});
