import { statSync } from "node:fs";
import { join } from "node:path";
import type { Emit } from "../../engine/session/events.ts";
import { importAccount as importIntoManifest, type ImportOptions } from "../../engine/import-account.ts";
import { importFiles } from "../../engine/import-files.ts";
import type { Ending } from "../../engine/session/host.ts";
import { harmless } from "../../lib/shorten.ts";
import { quoted } from "../../lib/escape.ts";
import { badArguments } from "../../engine/session/input-error.ts";
import { isManifestPath } from "../check-options.ts";
import type { Io } from "../io.ts";
import { layOutLines } from "../../render/layout.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { readGlobs } from "../../engine/session/read-addresses.ts";

interface ImportArguments extends Omit<ImportOptions, "folder"> {
  readonly folder?: string | undefined;
  /** The form of files to read instead of an account, and the files. */
  readonly from?: readonly string[] | undefined;
}

/** Writes a manifest of an account that exists, or of zones that files hold. */
export async function importAccount(given: ImportArguments & PrinterOptions, io: Io): Promise<Ending> {
  checkArguments(given);
  const { folder = "hosting", from } = given;
  const options = { ...given, folder, only: readGlobs(given.only) };
  const print = printer(io, options);
  const emit: Emit = (event) => {
    print(event);
    // Where a list was not read, to read it comes first, as the event says.
    if (event.type === "imported" && event.is_new && event.unread === 0 && !given.json && from === undefined)
      io.write(layOutLines(nextAfter(folder), io.width));
  };
  if (from === undefined) return importIntoManifest(options, { ...io, emit });
  const [source, ...paths] = from;
  const last = paths.at(-1) ?? "";
  if (given.folder === undefined && paths.length > 1 && !statSync(last, { throwIfNoEntry: false })?.isFile())
    throw badArguments(
      `--from ${source ?? ""} takes every name after it, and ${last} is not a file`,
      `if it is the new folder, write hostform import ${quoted(last)} --from ${[source ?? "", ...paths.slice(0, -1)].map(quoted).join(" ")}`,
    );
  const forms = "--from zone-file FILE…, or --from octodns DIR";
  if (source !== "zone-file" && source !== "octodns")
    throw badArguments(`--from ${source ?? ""}: this is not a form of files`, `use ${forms}`);
  if (paths.length === 0 || (source === "octodns" && paths.length > 1))
    throw badArguments(`--from ${source} names ${paths.length === 0 ? "no file" : "several folders"}`, `use ${forms}`);
  return importFiles({ ...options, source, paths }, { ...io, emit });
}

/** The folder that is found without a flag. */
const usualFolder = /^(?:\.\/)?hosting\/*$/u;

function nextAfter(folder: string): string {
  const file = join(folder, "hostform.yaml");
  const flag = usualFolder.test(folder) ? "" : ` -f ${quoted(folder)}`;
  return `${harmless(`Next: choose name: in ${file} (it stays), commit, and run hostform apply${flag}`)}\n`;
}

/** Throws an InputError for options that exclude each other, and for a file in place of a folder. */
function checkArguments({ folder = "", into, from, live, layout }: ImportArguments): void {
  if (isManifestPath(folder))
    throw badArguments(
      `import writes a folder, and ${folder} is the name of a file`,
      `write hostform import hosting --layout ${layout}`,
    );
  if (folder !== "" && into !== undefined)
    throw badArguments("Both a new folder and --into are given", "name a new folder, or give --into alone");
  if (from !== undefined && live !== undefined)
    throw badArguments("--from and --live are both given", "give one of them");
  if (from !== undefined && into !== undefined)
    throw badArguments(
      "--from and --into are both given",
      "import the files into a new folder, and move what you need",
    );
}
