import { relative, resolve, sep } from "node:path";
import type { Head } from "../import/write-manifest.ts";
import { packageFile } from "../lib/package-file.ts";
import type { Target } from "../model/plan.ts";
import { placeOfContract } from "./choose-contract.ts";
import { chooseSetting } from "./choose-setting.ts";
import type { Host } from "./host.ts";
import type { OpenTargetOptions } from "./open-target.ts";

const schemaFile = packageFile("dist/schemas/manifest.schema.json");

/** Returns the keys of a new manifest that say which API it is for, so that later commands need no flags but the key. */
export function headOf(
  folder: string,
  { contract, caFile }: Pick<OpenTargetOptions, "contract" | "caFile">,
  { emulator, baseUrl }: Target,
  { env }: Host,
): Head {
  const beside = (path: string) => wayTo(folder, path);
  const usedContract = placeOfContract(contract, {}, env);
  const usedCa = chooseSetting("ca_file", caFile, {}, env)?.value;
  const isName = usedContract === undefined || !/[/.]/u.test(usedContract);
  const own = isName ? usedContract : beside(usedContract);
  return {
    name: emulator ? "imported" : nameOf(baseUrl),
    provider: {
      ...(!emulator && { base_url: baseUrl.replace(/\/$/u, "") }),
      ...(own !== undefined && { contract: own }),
      ...(usedCa !== undefined && !emulator && { ca_file: beside(usedCa) }),
    },
    schema: beside(schemaFile),
  };
}

/** Returns the relative path from a folder to a file, as a manifest writes it. */
export function wayTo(folder: string, path: string): string {
  const way = relative(resolve(folder), resolve(path)).split(sep).join("/");
  return way.startsWith(".") ? way : `./${way}`;
}

/** Returns a name for a manifest from the host of its API. */
function nameOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.toLowerCase().replace(/^api\./u, "");
  const name = host.replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "");
  return name === "" ? "imported" : name.slice(0, 63);
}
