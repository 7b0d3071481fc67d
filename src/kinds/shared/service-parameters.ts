import { isIPv4, isIPv6 } from "node:net";
import { checkString, readString } from "./character-strings.ts";
import { isBase64, isNumber, splitWords, type ContentField } from "./content-fields.ts";
import { compressIPv6 } from "./ip-address.ts";

/** The registered keys of service parameters, each at its number (IANA, "Service Parameter Keys"). */
const keys = [
  "mandatory",
  "alpn",
  "no-default-alpn",
  "port",
  "ipv4hint",
  "ech",
  "ipv6hint",
  "dohpath",
  "ohttp",
  "tls-supported-groups",
  "docpath",
];
/** The number that is never a key. */
const invalidKey = 65_535;

/** The parameters of an SVCB record (RFC 9460 section 2.1): in any order, each key once. */
export const serviceParameters: ContentField = {
  normalise: (text) => {
    const parameters = text.match(/[^\s="]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\s"]*))?/gsu) ?? [];
    return parameters.map(normaliseParameter).sort().join(" ");
  },
  check: (text) => {
    const parameters = splitWords(text).map(readParameter);
    const present = parameters.map(({ key }) => numberOf(key));
    const wrong = parameters.flatMap(({ key, value }) => checkKey(key) ?? checkValue(key, value, present) ?? [])[0];
    if (wrong !== undefined) return wrong;
    const twice = parameters.find((_, index) => present.indexOf(present[index]) < index);
    return twice && `each key once, and ${twice.key} stands there twice`;
  },
};

function normaliseParameter(text: string): string {
  const [, written = text, quoted = ""] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  const key = written.toLowerCase();
  const value = quoted.replace(/^"([^"\\\s]*)"$/u, "$1");
  if (value === "") return key;
  return `${key}=${normalValues[key]?.(value) ?? value}`;
}

const normalValues: Readonly<Record<string, (value: string) => string>> = {
  mandatory: (value) => (value.includes("\\") ? value : value.toLowerCase().split(",").sort().join(",")),
  port: (value) => (isNumber(value, 65_535) ? String(Number(value)) : value),
  ipv6hint: (value) =>
    value
      .split(",")
      .map((item) => (isIPv6(item) ? compressIPv6(item) : item))
      .join(","),
};

interface Parameter {
  readonly key: string;
  /** As written, with its quotes; undefined where there is none. */
  readonly value: string | undefined;
}

function readParameter(word: string): Parameter {
  const [, key = word, value] = /^([^="\\]*)=(.*)$/su.exec(word) ?? [];
  return { key, value: value === "" || value === '""' ? undefined : value };
}

/** The number of a key, in either of its two spellings; undefined where it has none. */
function numberOf(key: string): number | undefined {
  const [, digits] = /^key(0|[1-9]\d{0,4})$/u.exec(key) ?? [];
  const number = digits === undefined ? keys.indexOf(key) : Number(digits);
  return number < 0 || number >= invalidKey ? undefined : number;
}

function checkKey(key: string): string | undefined {
  if (numberOf(key) !== undefined) return undefined;
  if (numberOf(key.toLowerCase()) !== undefined) return `keys in lower case: ${key.toLowerCase()}`;
  return `keys among ${keys.join(", ")}, or key0 to key65534 (not ${JSON.stringify(key)})`;
}

function checkValue(key: string, value: string | undefined, present: readonly (number | undefined)[]) {
  if (value !== undefined) {
    const wrong = checkString(value, invalidKey);
    if (wrong !== undefined) return wrong;
  }
  if (key === "mandatory") return checkMandatory(value === undefined ? [] : readList(value), present);
  const rule = rules[key];
  return rule === undefined || rule.holds(value) ? undefined : `${key} is ${rule.expected}`;
}

function checkMandatory(listed: readonly string[], present: readonly (number | undefined)[]): string | undefined {
  const numbers = listed.map(numberOf);
  if (listed.length === 0 || numbers.includes(undefined)) return "mandatory lists keys, such as mandatory=alpn,port";
  if (numbers.includes(0)) return "mandatory does not list itself";
  if (new Set(numbers).size < numbers.length) return "mandatory lists each key once";
  const missing = listed.find((key) => !present.includes(numberOf(key)));
  return missing && `the keys that mandatory lists are there (${missing} is not)`;
}

/** The items of a list: a comma or backslash in an item has a backslash before it (RFC 9460 appendix A.1). */
function readList(value: string): string[] {
  const items = [""];
  for (const [token] of readString(value)
    .toString("latin1")
    .matchAll(/\\[\\,]|[^]/gu)) {
    if (token === ",") items.push("");
    else items.push(`${items.pop()}${token.length === 2 ? token.slice(1) : token}`);
  }
  return items;
}

const empty = { expected: "written without a value", holds: (value: string | undefined) => value === undefined };
const list = (expected: string, isItem: (item: string) => boolean) => ({
  expected,
  holds: (value: string | undefined) => value !== undefined && readList(value).every(isItem),
});

/** The values of keys; a key that is not here may have any. */
const rules: Readonly<Record<string, { expected: string; holds: (value: string | undefined) => boolean }>> = {
  alpn: list(
    "a list of protocols of at most 255 bytes each, such as h2,h3",
    ({ length }) => length > 0 && length < 256,
  ),
  "no-default-alpn": empty,
  port: {
    expected: "a number from 0 to 65535",
    holds: (value) => value !== undefined && isNumber(readString(value).toString(), 65_535),
  },
  ipv4hint: list("a list of IPv4 addresses", isIPv4),
  ech: { expected: "base64", holds: (value) => value !== undefined && isBase64(readString(value).toString()) },
  ipv6hint: list("a list of IPv6 addresses", (item) => isIPv6(item) && !item.includes("%")),
  dohpath: { expected: "a path, such as /dns-query{?dns}", holds: (value) => value !== undefined },
  ohttp: empty,
  "tls-supported-groups": list("a list of numbers from 0 to 65535", (item) => isNumber(item, 65_535)),
};
