import { domainToASCII } from "node:url";
import { isIP } from "node:net";
import { trimBlanks } from "./text-checks.ts";

const label = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/u;

// Nearly all names: ASCII without a blank or a final dot.
const plain = /^[!-~]*[!-\-/-~]$/u;

/** A host or domain name in normal form: lower case, IDN as Punycode, no trailing dot. A text that is not a name stays as it is. */
export function normaliseDomain(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  // A dot after a dot or a blank ends no name.
  const bare = trimBlanks(asciiDots(name))
    .replace(/(?<![ \t\r\n.])\.$/u, "")
    .toLowerCase();
  return toAscii(bare) ?? bare;
}

/** Returns a name with an ASCII dot for each other dot of IDNA (RFC 3490 section 3.1). */
export const asciiDots = (name: string): string => name.replaceAll(/[\u3002\uff0e\uff61]/gu, ".");

/** Nearly no name is like this, and `isIP` takes longer than all else that is asked of a name. */
const mayBeIP = /:|\d$/u;

/** Returns the expected form, if the text is not a domain name of at least two labels. */
export function checkDomain(name: string): string | undefined {
  return checkName(name, checkLabels);
}

/** Returns the expected form, if the text does not name a zone: a domain name, whose labels may be slashed (RFC 2317). */
export function checkZone(name: string): string | undefined {
  return checkName(name, checkSlashedLabels);
}

function checkName(name: string, check: (labels: readonly string[]) => string | undefined): string | undefined {
  if (isPlainTarget(name)) return undefined;
  if (mayBeIP.test(name) && isIP(name) !== 0) return "a domain name, not an IP address";
  const labels = normaliseDomain(name).split(".");
  if (labels.length < 2) return "a domain name with at least two labels, such as example.com";
  return check(labels) ?? checkLast(labels);
}

/** Nearly all names, in normal form. */
const plainName = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.(?=.)|$))+$/u;

/** Whether a name in normal form has usable labels beyond doubt. */
export const isPlainName = (name: string): boolean => name.length <= 253 && plainName.test(name);

/** Returns the expected form, if the labels do not make a DNS name (RFC 1035 section 2.3.4, underscores allowed). */
export function checkLabels(labels: readonly string[]): string | undefined {
  if (labels.join(".").length > 253) return "a name of at most 253 characters";
  const wrong = labels.find((part) => !label.test(part));
  if (wrong === undefined) return undefined;
  if (wrong === "") return "a name without empty labels";
  if (wrong.length > 63) return "labels of at most 63 characters";
  return `labels of letters, digits, hyphens and underscores, not starting or ending with a hyphen (not "${wrong}")`;
}

/** The same, with labels such as `0/25`, which delegate part of a reverse zone (RFC 2317). */
export const checkSlashedLabels = (labels: readonly string[]): string | undefined =>
  checkLabels(
    labels.some((part) => part.includes("/"))
      ? labels.map((part) => (/^\d{1,3}\/\d{1,3}$/u.test(part) ? part.replace("/", "-") : part))
      : labels,
  );

/** A last label of digits makes a number or an address, not a name (RFC 3696 section 2). */
const checkLast = (labels: readonly string[]): string | undefined =>
  /^[\d/]+$/u.test(labels.at(-1) ?? "") ? "a name whose last label is not a number" : undefined;

/** Nearly all targets: two labels or more, of which the last begins with a letter. */
const plainTarget = /^(?:\w(?:[\w-]{0,61}\w)?\.)+[A-Za-z](?:[\w-]{0,61}\w)?\.?$/u;

/** Whether a target is a usable one beyond doubt. */
export const isPlainTarget = (text: string): boolean => text.length <= 253 && plainTarget.test(text);

/** An absolute name with its trailing dot; `@` is the zone's apex, `.` the root. */
export function normaliseTarget(target: string, zone: string): string {
  if (isPlainTarget(target)) return target.endsWith(".") ? target.toLowerCase() : `${target.toLowerCase()}.`;
  const text = trimBlanks(asciiDots(target));
  if (text === ".") return ".";
  if (text === "@") return `${zone}.`;
  const name = normaliseDomain(text);
  return name.endsWith(".") ? name : `${name}.`;
}

/** Returns the expected form, if the text is not a usable target of a record: the root and relative names are none. */
export function checkTarget(target: string): string | undefined {
  if (isPlainTarget(target)) return undefined;
  const text = trimBlanks(asciiDots(target));
  if (text === "@") return undefined;
  if (text === ".") return "a host name; the root says that there is none, which only MX, SRV, HTTPS and SVCB can say";
  const bare = text.replace(/\.$/u, "");
  if (isIP(bare) !== 0) return "a host name, not an IP address";
  if (bare.endsWith(".")) return "a name without empty labels";
  const labels = normaliseDomain(bare).split(".");
  if (labels.length === 1 && !text.endsWith(".")) {
    return `an absolute name: write "${bare}.example.com." in full (or "${bare}." where the single label is meant)`;
  }
  return checkSlashedLabels(labels) ?? checkLast(labels);
}

function toAscii(name: string): string | undefined {
  // domainToASCII refuses slashes and blanks, and reads numbers as IPv4: ASCII needs none of it, and no number ends in a letter.
  if (/^\p{ASCII}*$/u.test(name)) return name;
  const converted = name.split(".").map((part) => domainToASCII(`${part}.x`).slice(0, -2));
  return converted.includes("") ? undefined : converted.join(".").toLowerCase();
}
