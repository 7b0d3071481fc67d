import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { inputError } from "../engine/session/input-error.ts";
import { nodeHost } from "../engine/session/node-host.ts";
import { fileJournal } from "../journal/file-journal.ts";
import { makeFolders } from "../lib/write-file.ts";
import { describeRunner } from "../model/runner.ts";
import { openRepository } from "../state/git/repository.ts";
import { fileStore } from "../state/inventory/file-store.ts";
import { gitStore } from "../state/inventory/git-store.ts";
import { knownInFile, readRefs } from "../state/inventory/known-inventories.ts";
import { fileRegister } from "../state/lease/file-register.ts";
import { gitRegister } from "../state/lease/git-register.ts";
import type { KnownApis, Stores } from "../engine/session/host.ts";

/** Stores that hold something open. */
export interface OpenStores extends Stores {
  /** Closes them; no call may use them any more. */
  readonly close: () => Promise<void>;
}

/** Inventories, leases and journals in a folder. */
export function storesInFiles(folder: string): OpenStores {
  const host = nodeHost();
  const by = describeRunner(process.env, host.runner);
  makeFolders(folder, 0o700);
  const pathOf = (name: string) => join(resolve(folder), name);
  const leaseOf = (target: string) => pathOf(`${target}.lease`);
  return {
    inventory: (key) => fileStore({ path: pathOf(`${key}.json`), key, by, lease: leaseOf(key) }, host),
    lease: (target) => fileRegister(leaseOf(target), host.newId),
    journal: (target) => fileJournal(pathOf(`${target}.journal`)),
    known: async ({ name, isByManifest }) => (isByManifest ? [knownInFolder(resolve(folder), name)] : []),
    close: async () => undefined,
  };
}

function knownInFolder(folder: string, name: string): KnownApis {
  const files = readdirSync(folder).filter((file) => /-[0-9a-f]{12}\.json$/u.test(file));
  const own = files.filter((file) => file.slice(0, -18) === name);
  const found = (own.length > 0 ? own : files).map((file) => knownInFile(join(folder, file)));
  const unread = found.find((each) => each.unread !== undefined);
  return { ...unread, known: found.flatMap(({ known }) => known) };
}

/** Inventories and leases in a git repository. */
export async function storesInGit(folder: string): Promise<OpenStores> {
  const host = nodeHost();
  const opened = await openRepository(folder, { env: process.env, isSecret: () => false });
  if (!opened.ok) throw inputError("no_repository", `${folder}: ${opened.reason}`, opened.hint);
  const { repository } = opened;
  const leaseHere = (target: string) =>
    fileRegister(join(repository.commonFolder, `hostform-${target}.lease`), host.newId);
  return {
    inventory: (target) => gitStore(repository, target, host),
    lease: (target) => (repository.remote ? gitRegister(repository, target, host.sleep) : leaseHere(target)),
    known: async ({ name, isByManifest }) => (isByManifest ? [await readRefs(repository, name, () => false)] : []),
    close: repository.close,
  };
}
