import type { ReadWords } from "./fields.ts";

/**
 * `d1 [m1 [s1]] N|S  d2 [m2 [s2]] E|W  altitude [size [horizontal [vertical]]]` (RFC 1876 section 3), read word by word.
 */
export const readLocation: ReadWords = (words) => {
  const rest = words.map(({ raw }) => raw);
  const valid = takeAngle(rest, 90, "NS") && takeAngle(rest, 180, "EW") && takeMetres(rest);
  return valid ? words.map(({ raw }) => raw) : undefined;
};

function takeAngle(rest: string[], maximum: number, hemispheres: string): boolean {
  const end = rest.findIndex((word) => word.length === 1 && hemispheres.includes(word.toUpperCase()));
  if (end < 1 || end > 3) return false;
  const [degrees = "", minutes = "0", seconds = "0"] = rest.splice(0, end + 1).slice(0, end);
  if (!/^[0-9]{1,3}$/.test(degrees) || !/^[0-9]{1,2}$/.test(minutes) || !/^[0-9]{1,2}(\.[0-9]{1,3})?$/.test(seconds))
    return false;
  const thousandths = Math.round((Number(minutes) * 60 + Number(seconds)) * 1000);
  return (
    Number(minutes) < 60 &&
    Number(seconds) < 60 &&
    (Number(degrees) < maximum || (Number(degrees) === maximum && thousandths === 0))
  );
}

/** In centimetres: the altitude, then up to three lengths. */
function takeMetres(rest: readonly string[]): boolean {
  if (rest.length === 0 || rest.length > 4) return false;
  return rest.every((word, index) => {
    const [, sign = "", whole = "", part = ""] = /^(-?)([0-9]+)(?:\.([0-9]{1,2}))?m?$/i.exec(word) ?? [];
    if (whole === "" || whole.length > 8) return false;
    const centimetres = Number(`${whole}${part.padEnd(2, "0")}`);
    if (index > 0) return sign === "" && centimetres <= 9_000_000_000;
    return sign === "-" ? centimetres <= 10_000_000 : centimetres <= 4_284_967_295;
  });
}
