import { hash } from "node:crypto";
import { dirname, isAbsolute, relative, sep } from "node:path";
import { readSources } from "../../manifest/sources.ts";
import { maxSourceBytes } from "../../manifest/yaml/decode-source.ts";
import { orUndefined } from "../../lib/or-undefined.ts";
import { readText } from "../../lib/read-file.ts";
import type { SourceText } from "../../manifest/yaml/written.ts";
import { InputError } from "../../engine/session/input-error.ts";
import type { Account, Fleet } from "../model.ts";

/**
 * Reads the manifests of an account, its contract and its CA, and returns their digest. Throws an InputError for a manifest that cannot be
 * read. A contract or a CA that cannot be read counts as empty: the job that plans the account says so.
 */
export async function readDigest(fleet: Pick<Fleet, "file">, account: Account): Promise<string> {
  const { sources, diagnostics } = await readSources(account.manifests, {});
  if (diagnostics.length > 0) throw new InputError({ type: "diagnostics", diagnostics });
  const beside = [account.contract, account.caFile].flatMap((path) =>
    path !== undefined && isAbsolute(path)
      ? { file: path, text: orUndefined(() => readText(path, maxSourceBytes)) ?? "" }
      : [],
  );
  return digestOf(fleet, account, [...sources, ...beside]);
}

/**
 * Returns the SHA-256 of what decides an account's plan, in hexadecimal: the names, relative to fleet.yaml, and the texts of its files,
 * and its settings. Two checkouts of the same files have the same, wherever they lie.
 */
export function digestOf({ file }: Pick<Fleet, "file">, account: Account, sources: readonly SourceText[]): string {
  const top = dirname(file);
  const portable = (path: string) => relative(top, path).split(sep).join("/");
  const texts = sources.map((source) => [portable(source.file), source.text] as const);
  const { name, baseUrl, contract, caFile, key, variables } = account;
  const own = [contract, caFile].map((path) => (path !== undefined && isAbsolute(path) ? portable(path) : path));
  const values = Object.entries(variables).toSorted(byName);
  return hash("sha256", JSON.stringify([name, baseUrl, own, key, values, texts.toSorted(byName)]));
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]) => (one < other ? -1 : 1);
