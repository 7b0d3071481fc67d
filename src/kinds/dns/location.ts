import { trimBlanks } from "../shared/text-checks.ts";
import type { ContentForm } from "./content-form.ts";

/** Degrees, minutes and seconds; a hemisphere; then metres: altitude, size, horizontal and vertical precision (RFC 1876 section 3). */
const angle = (letters: string) =>
  String.raw`(\d{1,3})(?:[ \t\r\n]+(\d{1,2})(?:[ \t\r\n]+(\d{1,2}(?:\.\d{1,3})?))?)?[ \t\r\n]+([${letters}])`;
const length = String.raw`(\d{1,8}(?:\.\d{1,2})?)[Mm]?`;
const pattern = new RegExp(
  String.raw`^${angle("NnSs")}[ \t\r\n]+${angle("EeWw")}[ \t\r\n]+(-?\d{1,8}(?:\.\d{1,2})?)[Mm]?(?:[ \t\r\n]+${length}(?:[ \t\r\n]+${length}(?:[ \t\r\n]+${length})?)?)?$`,
  "u",
);

const expected =
  "latitude, longitude and altitude, such as 40 26 46.302 N 79 58 56 W 10m, then size and precisions in metres";

/** The position of a host. The normal form has all its parts. */
export const location: ContentForm = {
  normalise: (content) => {
    const place = readLocation(content);
    return place === undefined ? content : [...place.angles, ...place.metres.map((metres) => `${metres}m`)].join(" ");
  },
  check: (content) => {
    const place = readLocation(content);
    return place === undefined ? expected : place.wrong && `${expected}: ${place.wrong}`;
  },
};

/** The position as name servers answer with it: their wire format has one digit of the size and of each precision. */
export function servedLocation(normal: string): string {
  const words = normal.split(" ");
  return [...words.slice(0, -3), ...words.slice(-3).map(oneDigit)].join(" ");
}

function oneDigit(metres: string): string {
  const centimetres = String(Math.round(100 * Number.parseFloat(metres)));
  return `${Number(`${centimetres[0]}e${centimetres.length - 1}`) / 100}m`;
}

interface Coordinates {
  readonly angles: readonly (string | number)[];
  readonly metres: readonly number[];
  readonly wrong: string | undefined;
}

function readLocation(content: string): Coordinates | undefined {
  const parts: (string | undefined)[] | undefined = pattern.exec(trimBlanks(content))?.slice(1);
  if (!parts) return undefined;
  const degrees = (start: number) => parts.slice(start, start + 3).map((part) => Number(part ?? 0));
  const [latitude, longitude] = [degrees(0), degrees(4)];
  const [altitude = 0, size = 1, horizontal = 10_000, vertical = 10] = parts
    .slice(8)
    .map((part) => (part === undefined ? undefined : Number(part)));
  return {
    angles: [...latitude, hemisphere(latitude, parts[3], "N"), ...longitude, hemisphere(longitude, parts[7], "E")],
    metres: [altitude, size, horizontal, vertical],
    wrong:
      checkAngle("latitude", latitude, 90) ??
      checkAngle("longitude", longitude, 180) ??
      wrongIf(altitude < -100_000 || altitude > 42_849_672.95, "the altitude is from -100000 to 42849672.95 metres") ??
      wrongIf(Math.max(size, horizontal, vertical) > 90_000_000, "size and precisions are at most 90000000 metres"),
  };
}

const wrongIf = (isWrong: boolean, expected: string): string | undefined => (isWrong ? expected : undefined);

/** The equator and the prime meridian are in no hemisphere: their letter is that of their wire format. */
const hemisphere = (angle: readonly number[], letter = "", atZero: string) =>
  angle.every((part) => part === 0) ? atZero : letter.toUpperCase();

function checkAngle(name: string, [degrees = 0, minutes = 0, seconds = 0]: readonly number[], most: number) {
  if (minutes >= 60 || seconds >= 60) return `minutes and seconds of the ${name} are below 60`;
  return wrongIf(degrees + minutes / 60 + seconds / 3600 > most, `the ${name} is at most ${most} degrees`);
}
