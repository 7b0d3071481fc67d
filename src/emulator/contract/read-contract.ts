import { parse } from "yaml";
import { readBuilt } from "../../lib/package-file.ts";
import { readText } from "../../lib/read-file.ts";
import { EmulatorError } from "../emulator-error.ts";
import { isFields, type Fields } from "../fields.ts";
import type { Contract } from "./contract.ts";

/** Bytes. */
const longest = 1024 * 1024;

/** The contracts that are built in. */
const names = new Set(["v2026", "cloudflare", "hetzner-cloud", "hostinger", "mittwald", "powerdns"]);

/** The rules of a contract that stands alone and does not say otherwise. */
const usual: Fields = { base_path: "", request: { headers: {} }, answer: { rate_limit: { statuses: [429] } } };

const builtIn = (name: string): Fields => readMapping(name, () => readBuilt(`contract-${name}.json`));

/** Reads a contract that is known to be valid: a file, or the name of a contract that is built in. */
export function readContract(place: string): Contract {
  const own = names.has(place) ? builtIn(place) : readMapping(place, () => readText(place, longest));
  const base = own["extends"];
  const below = typeof base === "string" ? layOver(usual, builtIn(base)) : usual;
  return layOver(below, own) as Contract;
}

function readMapping(name: string, read: () => string): Fields {
  try {
    const value: unknown = parse(read(), { maxAliasCount: 0 });
    if (isFields(value)) return value;
    throw new Error("it is not a mapping");
  } catch (error) {
    throw new EmulatorError(
      `The contract ${name} cannot be read: ${(error as Error).message}`,
      "run hostform contract check on it",
      error,
    );
  }
}

/** Lays a value over another; null takes an entry away. */
function layOver(below: unknown, above: unknown): unknown {
  if (!isFields(above)) return above;
  const merged: Fields = isFields(below) ? { ...below } : {};
  for (const [key, value] of Object.entries(above)) {
    if (value === null) delete merged[key];
    else merged[key] = layOver(merged[key], value);
  }
  return merged;
}
