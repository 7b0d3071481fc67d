import { resolve } from "node:path";
import { isInside, realPath } from "../../lib/inside.ts";
import { readFile } from "../../lib/read-file.ts";
import type { AppliedBy } from "../../model/inventory.ts";
import { maxInventoryBytes, parseApplied } from "./inventory-content.ts";
import { nameOfKey } from "./target-key.ts";
import { fileName } from "./git-commit.ts";
import { folderOf, openRepository, type GitSurroundings, type Repository } from "../git/repository.ts";
import { fetchQuietly } from "../git/git-refs.ts";
import type { Git } from "../git/run-git.ts";

/** An inventory, and the API of its last apply: undefined where it does not say. */
export interface KnownInventory {
  readonly key: string;
  /** The manifest's name as it stands in the key. */
  readonly name: string;
  readonly api: AppliedBy["api"];
}

export interface KnownInventories {
  readonly known: readonly KnownInventory[];
  /** Why others may be missing. */
  readonly unread?: string;
}

interface InventoryPlaces {
  /** The manifests as they were named: whoever may change one of them may change where the key goes, so the repository of each judges. */
  readonly manifests: readonly string[];
  /** The file of the inventory, where it is not in git. */
  readonly file: string | undefined;
}

/**
 * Reads which inventories the repositories of manifests have, in this clone and at its remote, and the one in the file: one result for each
 * place. A repository is left out for a file outside of it that says its API: who changes the manifest cannot change that file. The remote
 * is not asked if one in this clone is enough. Of the remote's, those of a name are read, and all if there are none of it.
 */
export async function readKnownInventories(
  { manifests, file }: InventoryPlaces,
  name: string,
  isEnough: (known: KnownInventory) => boolean,
  surroundings: GitSurroundings,
): Promise<readonly KnownInventories[]> {
  const inFile = file === undefined ? [] : [knownInFile(file)];
  const saysApi = inFile.some(({ known }) => known.some(({ api }) => typeof api === "object"));
  // A path in a repository may be a link that a pull request has made.
  const isApart = (top: string) => ![file ?? "", realPath(file ?? "")].some((path) => isInside(top, resolve(path)));
  const read = async (folder: string): Promise<readonly KnownInventories[]> => {
    const opened = await openRepository(folder, surroundings);
    if (!opened.ok) return [{ known: [], ...(opened.isNone !== true && { unread: opened.reason }) }];
    const { repository } = opened;
    try {
      return saysApi && isApart(repository.top) ? [] : [await readRefs(repository, name, isEnough)];
    } finally {
      await repository.close();
    }
  };
  const folders = new Set((manifests.length > 0 ? manifests : ["-"]).map(folderOf));
  return [...inFile, ...(await Promise.all([...folders].map(read))).flat()];
}

/** Reads those of a name in a clone and at its remote, which is not asked if one in this clone is enough. */
export async function readRefs(
  repository: Repository,
  name: string,
  isEnough: (known: KnownInventory) => boolean,
): Promise<KnownInventories> {
  const format = "--format=%(objectname)%09%(refname)";
  const listed = await repository.inPlace(["for-each-ref", format, "refs/hostform/*"]);
  const local = await readAll(repository.beside, tipsIn(listed.stdout));
  return local.some(isEnough) || !repository.remote ? { known: local } : readRemote(repository, name, local);
}

async function readRemote(
  { apart, remote }: Repository,
  name: string,
  local: readonly KnownInventory[],
): Promise<KnownInventories> {
  const unread = (problem: string) => ({ known: local, unread: `${remote?.name} (${remote?.url}): ${problem}` });
  const listed = await apart(["ls-remote", "--refs", "hostform", "refs/hostform/*"], { network: true });
  if (!listed.ok) return unread(listed.problem);
  const tips = tipsIn(listed.stdout);
  const own = tips.filter((tip) => tip.name === name);
  const wanted = own.length > 0 ? own : tips;
  if (wanted.length === 0) return { known: local };
  const refs = wanted.map(({ key }) => `+refs/hostform/${key}:refs/known/${key}`);
  const fetched = await apart([...fetchQuietly, "--depth=1", "hostform", ...refs], { network: true });
  return fetched.ok ? { known: [...local, ...(await readAll(apart, wanted))] } : unread(fetched.problem);
}

interface Tip extends Pick<KnownInventory, "key" | "name"> {
  readonly id: string;
}

/** Reads lines of an object's id and its ref. The refs of locks stand one level lower. */
const tipsIn = (output: Buffer): Tip[] =>
  [...output.toString().matchAll(/^([0-9a-f]+)\trefs\/hostform\/([^/\s]+)-([0-9a-f]{12})$/gmu)].map(
    ([, id = "", name = "", hash = ""]) => ({ id, name, key: `${name}-${hash}` }),
  );

const readAll = (git: Git, tips: readonly Tip[]): Promise<KnownInventory[]> =>
  Promise.all(
    tips.map(async ({ id, key, name }) => {
      const blob = await git(["cat-file", "blob", `${id}:${fileName}`]);
      return { key, name, api: blob.ok ? parseApplied(blob.stdout)?.api : undefined };
    }),
  );

/** Reads the inventory in a file. */
export function knownInFile(path: string): KnownInventories {
  try {
    const applied = parseApplied(readFile(path, maxInventoryBytes).bytes);
    if (!applied) return { known: [], unread: `${path}: it is not an inventory` };
    const { target: key, api } = applied;
    return { known: [{ key, name: nameOfKey(key), api }] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // It is yet to be made.
    return code === "ENOENT" ? { known: [] } : { known: [], unread: `${path}: ${message}` };
  }
}
