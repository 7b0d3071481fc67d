import { hasErrors } from "../model/diagnostic.ts";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { defaultContract } from "../contract/entry.ts";
import { builtInContracts } from "../contract/load-contract.ts";
import { fileNameOf } from "../import/file-names.ts";
import { writeManifest } from "../import/write-manifest.ts";
import { normaliseAddress } from "../kinds/derived/collection.ts";
import { isInside } from "../lib/inside.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import { packageFile } from "../lib/package-file.ts";
import { readFile, readText } from "../lib/read-file.ts";
import { makeFolders, writeFile } from "../lib/write-file.ts";
import { parseManifest } from "../manifest/load.ts";
import type { SourceText } from "../manifest/yaml/written.ts";
import type { Beginning } from "../messages/beginning.ts";
import type { Contract } from "../model/contract.ts";
import { chooseSetting } from "./session/choose-setting.ts";
import { chooseTarget } from "./session/choose-target.ts";
import type { Ending, Host, Session } from "./session/host.ts";
import { importAccount } from "./import-account.ts";
import { requireNewFolder, requireNoLink, writeNewManifest } from "./import/import-destination.ts";
import {
  headOf,
  topOf,
  domainText,
  ignoredByGit,
  manifestsAppliedBy,
  workflowExample,
  workflowFile,
  workflowText,
} from "./import/new-manifest.ts";
import { InputError } from "./session/input-error.ts";
import { readOffered } from "./session/load-manifest.ts";
import type { OpenTargetOptions } from "./session/open-target.ts";

export interface InitOptions extends OpenTargetOptions {
  /** The new folder to write. Default: `hosting`. */
  readonly folder?: string | undefined;
  /** The domain of the first manifest. */
  readonly domain: string;
  /** Whether the manifest is read from an account. */
  readonly import: boolean;
}

/**
 * Writes a first manifest, or that of an account, and what a repository of it needs: into the working folder, or into the named folder if that
 * is elsewhere. GitHub reads a workflow only at the top of a repository, so there is none in other places. Overwrites nothing.
 */
export async function initialise({ folder = "hosting", ...options }: InitOptions, io: Session): Promise<Ending> {
  const top = topOf(folder);
  const place = resolve(isInside(resolve("."), resolve(folder)) ? "." : folder);
  const hasWorkflow = place === top;
  const workflow = dirname(workflowFile);
  // What links lead to is elsewhere.
  for (const name of [".gitignore", dirname(workflow), workflow, workflowFile]) requireNoLink(join(place, name));
  requireNewFolder(folder);
  const ignored = join(place, ".gitignore");
  // A file that is refused when it is changed, with the folder written already, would keep the next attempt from that folder.
  if (existsSync(ignored)) readFile(ignored, mostBytes);
  const ending = options.import
    ? await importAccount({ ...options, ...wholeAccount, folder }, io)
    : await writeTemplate({ ...options, folder }, io);
  if (!existsSync(folder)) return ending;
  const baseUrl = baseUrlOf(options, io);
  const href = baseUrl && new URL(baseUrl).href.replace(/\/$/u, "");
  const path = `${wayFrom(top, folder)}/`;
  const others = workflowsOf(top);
  const elsewhere = others.filter(({ applies }) => !applies.includes(path.slice(0, -1)));
  const twice =
    !hasWorkflow || existsSync(join(top, workflowFile)) ? [] : others.filter((each) => !elsewhere.includes(each));
  const isWritten = new Map([[ignored, ignoreFiles(ignored)]]);
  if (hasWorkflow) {
    // As a job names it, which runs at the top of the repository.
    const place = chooseSetting("contract", options.contract, {}, io.env)?.value ?? defaultContract;
    const contract = builtInContracts.includes(place) ? place : wayFrom(top, place);
    const values = { HOSTFORM_FILE: path, HOSTFORM_BASE_URL: href, HOSTFORM_CONTRACT: contract };
    const example = readText(packageFile(workflowExample), mostBytes);
    const file = join(top, workflowFile);
    isWritten.set(file, writeNew(file, workflowText(example, values)));
  }
  io.emit({
    type: "initialised",
    folder,
    files: [...isWritten].flatMap(([file, isNew]) => (isNew ? [relative(".", file)] : [])),
    kept: [...isWritten].flatMap(([file, isNew]) => (isNew ? [] : [relative(".", file)])),
    imported: options.import,
    has_base_url: baseUrl !== undefined,
    emulator_data: options.emulatorData,
    has_workflow: hasWorkflow,
    ...(elsewhere.length > 0 && { elsewhere }),
    ...(twice.length > 0 && { twice: twice.map(({ file }) => file) }),
  });
  return ending;
}

const wholeAccount = { layout: "folder", only: [], kind: [], own: false, allowFile: [] } as const;

const baseUrlOf = ({ baseUrl }: InitOptions, { env }: Host) => chooseSetting("base_url", baseUrl, {}, env)?.value;

const wayFrom = (top: string, path: string) => relative(top, resolve(path)).split(sep).join("/") || ".";

/** Writes the template. Throws an InputError for a domain name that is none, and for a wrong base URL or contract. */
async function writeTemplate(options: InitOptions & { readonly folder: string }, io: Session): Promise<Ending> {
  const { folder } = options;
  const domain = normaliseAddress(`domain/${options.domain}`)?.slice("domain/".length);
  if (domain === undefined) throw new InputError({ type: "bad_domain", text: options.domain });
  const baseUrl = baseUrlOf(options, io);
  const chosen = await chooseTarget(
    { ...options, emulator: baseUrl === undefined, emulatorData: undefined },
    {},
    io.env,
  );
  const target = {
    name: "",
    baseUrl: chosen.baseUrl?.href ?? "",
    contract: chosen.contract.name,
    emulator: baseUrl === undefined,
  };
  const head = { ...headOf(folder, options, target, io), ...(target.emulator && { name: "hosting" }) };
  const main = writeManifest({ blocks: [], ignores: [], omissions: [] }, head, "single");
  const texts = [false, true].map((onlyDns) => domainText(domain, chosen.contract, onlyDns));
  const files = texts.map((text) => [...main, { file: fileNameOf(domain), text }]);
  writeNewManifest(folder, files.find((each) => isValid(each, chosen.contract)) ?? main);
  return "done";
}

/** Returns whether files are a manifest without mistakes for a contract. */
function isValid(files: readonly SourceText[], contract: Contract): boolean {
  const { tree, diagnostics } = parseManifest(files);
  if (!tree || hasErrors(diagnostics)) return false;
  return !hasErrors(readOffered(tree, () => ({ missing: "it is not read" }), contract).diagnostics);
}

/** Far more than a list of patterns or a workflow takes. */
const mostBytes = 1024 * 1024;

/** Adds to a file .gitignore the lines that it lacks; the others stay as they are. Returns whether it lacked one. */
function ignoreFiles(file: string): boolean {
  const there = existsSync(file) ? readFile(file, mostBytes) : { bytes: Buffer.alloc(0), mode: 0o644 };
  const text = there.bytes.toString("latin1");
  const lines = new Set(text.split(/\r?\n/u).map((line) => line.trim()));
  const lacking = ignoredByGit.filter((line) => !lines.has(line));
  if (lacking.length === 0) return false;
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const gap = text === "" || text.endsWith("\n") ? "" : end;
  const added = gap + lacking.map((line) => line + end).join("");
  writeFile(file, Buffer.concat([there.bytes, Buffer.from(added)]), there.mode);
  return true;
}

/** Returns the workflows of a repository that apply manifests, and the paths of these. */
function workflowsOf(top: string): NonNullable<Beginning["elsewhere"]> {
  const folder = join(top, dirname(workflowFile));
  const names = existsSync(folder) ? readdirSync(folder).toSorted() : [];
  return names.flatMap((name) => {
    const file = join(folder, name);
    // A folder or a file that cannot be read is not a workflow.
    const applies = orUndefined(() => manifestsAppliedBy(readText(file, mostBytes))) ?? [];
    return applies.length === 0 ? [] : [{ file: relative(".", file), applies }];
  });
}

/** Writes a file, and the folders above it, unless something is there. Returns whether nothing was. */
function writeNew(file: string, text: string): boolean {
  if (existsSync(file)) return false;
  makeFolders(dirname(file));
  writeFile(file, text, 0o644);
  return true;
}
