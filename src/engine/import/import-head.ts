import { existsSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, relative, resolve, sep } from "node:path";
import type { Head } from "../../import/write-manifest.ts";
import { isInside, mayBringIn, realPath } from "../../lib/inside.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Target } from "../../model/plan.ts";
import { chooseSetting } from "../session/choose-setting.ts";
import type { Session } from "../session/host.ts";
import { InputError } from "../session/input-error.ts";
import type { OpenTargetOptions } from "../session/open-target.ts";

/**
 * Returns the keys of a new manifest that say which API it is for, so that later commands need no flags but the key. Nothing in it is right
 * on one machine only: a CA file elsewhere is left out, and a contract elsewhere is an InputError.
 */
export function headOf(
  folder: string,
  { contract, caFile }: Pick<OpenTargetOptions, "contract" | "caFile">,
  { emulator, baseUrl }: Target,
  { env, emit }: Session,
): Head {
  const top = topOf(folder);
  const isShared = (path: string) => mayBringIn(realPath(top), realPath(path));
  const usedContract = chooseSetting("contract", contract, {}, env)?.value;
  const usedCa = emulator ? undefined : chooseSetting("ca_file", caFile, {}, env)?.value;
  const isFile = usedContract !== undefined && /[/.]/u.test(usedContract);
  if (isFile && !isShared(usedContract))
    throw new InputError({ type: "diagnostics", diagnostics: [contractElsewhere(usedContract, top)] });
  const own = isFile ? wayTo(folder, usedContract) : usedContract;
  if (usedCa !== undefined && !isShared(usedCa)) emit({ type: "diagnostics", diagnostics: [caElsewhere(usedCa)] });
  return {
    name: emulator ? "imported" : nameOf(baseUrl),
    provider: {
      ...(!emulator && { base_url: baseUrl.replace(/\/$/u, "") }),
      ...(own !== undefined && { contract: own }),
      ...(usedCa !== undefined && isShared(usedCa) && { ca_file: wayTo(folder, usedCa) }),
    },
  };
}

const caElsewhere = (path: string): Diagnostic => ({
  severity: "warning",
  code: "ca_file_elsewhere",
  summary: `The CA file ${path} is not in the repository, so the manifest does not name it: others do not have that path`,
  hint: "set HOSTFORM_CA_FILE, or put the file beside the manifest and write provider.ca_file",
});

const contractElsewhere = (path: string, top: string): Diagnostic => ({
  severity: "error",
  code: "contract_elsewhere",
  summary: `The contract ${path} is not in ${top}, so a manifest that others read cannot name it`,
  hint: "copy it into that folder first, and name the copy",
});

/** Returns the relative path from a folder to a file, as a manifest writes it. */
export function wayTo(folder: string, path: string): string {
  const way = relative(resolve(folder), resolve(path)).split(sep).join("/");
  return way.startsWith(".") ? way : `./${way}`;
}

/** Returns the folder that a repository of the manifest begins at: that of git, or the working folder, or the one beside the manifest. */
export function topOf(folder: string): string {
  const whole = resolve(folder);
  for (let here = whole; ; here = dirname(here)) {
    if (existsSync(join(here, ".git"))) return here;
    if (dirname(here) === here) break;
  }
  return isInside(resolve("."), whole) && whole !== resolve("/") ? resolve(".") : dirname(whole);
}

/** Returns a name for a manifest from the host of its API, unless that is this machine or an address. */
function nameOf(baseUrl: string): string {
  const host = new URL(baseUrl).hostname.toLowerCase().replace(/^api\./u, "");
  const name = host.replaceAll(/[^a-z0-9]+/gu, "-").replaceAll(/^-|-$/gu, "");
  const isAddress = isIP(host.replaceAll(/^\[|\]$/gu, "")) !== 0;
  return name === "" || isAddress || /^(?:.*\.)?localhost$/u.test(host) ? "imported" : name.slice(0, 63);
}
