import { statSync } from "node:fs";
import type { Ending } from "../engine/session/host.ts";
import type { MakeHandler } from "./shared-options.ts";
import { inputError } from "../engine/session/input-error.ts";
import type { Io } from "./io.ts";
import type { FoundManifest } from "./printer.ts";

/** The folder and the file that are a manifest where none is named, as `-f` takes them. */
const usualFolder = "hosting";
const usualFile = "hostform.yaml";

interface FileOption {
  readonly file?: readonly string[] | undefined;
}

type Load<T> = () => Promise<(options: T, io: Io) => Promise<Ending>>;

/** Makes the handler of a command of manifests: where `-f` names none, it takes the manifest that is found. */
export const onManifest =
  (run: MakeHandler, { beside = false, optional = false } = {}) =>
  <T extends FileOption>(load: Load<T>): ((options: Omit<T, "file"> & FileOption) => void) =>
    run<Omit<T, "file"> & FileOption>(async () => {
      const command = await load();
      return async (options, io) =>
        command({ ...options, ...manifestFor(options.file, io, beside, optional) } as T, io);
    });

/** Returns the options that name the manifest. `beside`: standard output is for data; `optional`: the command needs no manifest. */
export function manifestFor(
  given: FileOption["file"],
  { env }: Pick<Io, "env">,
  beside: boolean,
  optional: boolean,
): { readonly file: readonly string[]; readonly found?: FoundManifest } {
  if (given !== undefined && given.length > 0) return { file: given };
  const found = findManifest(env);
  if (found) return { file: [found.path], found: { ...found, beside } };
  if (optional) return { file: [] };
  throw inputError(
    "no_manifest",
    `No manifest is named, and there is neither ${usualFolder}/ nor ${usualFile} in the working folder`,
    "name a file, a folder or - (standard input) with -f; or begin with hostform init or, for an account that exists, hostform import",
  );
}

/** Finds the manifest: `HOSTFORM_FILE`, else the usual folder or file of the working folder. Throws an InputError if both are there. */
export function findManifest(env: Io["env"]): Omit<FoundManifest, "beside"> | undefined {
  const { HOSTFORM_FILE: path } = env;
  if (path !== undefined && path !== "") return { path, by: "HOSTFORM_FILE" };
  const folder = statSync(usualFolder, { throwIfNoEntry: false })?.isDirectory() === true;
  const file = statSync(usualFile, { throwIfNoEntry: false })?.isFile() === true;
  if (folder && file)
    throw inputError(
      "two_manifests",
      `Both ${usualFolder}/ and ${usualFile} are in the working folder`,
      `name the manifest with -f ${usualFolder}/ or -f ${usualFile}, or in HOSTFORM_FILE`,
    );
  if (folder) return { path: `${usualFolder}/`, by: "folder" };
  return file ? { path: usualFile, by: "folder" } : undefined;
}
