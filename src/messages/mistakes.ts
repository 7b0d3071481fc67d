import { nameSome } from "../lib/shorten.ts";
import { noSuchFile } from "../lib/system-words.ts";
import { quoted } from "../lib/escape.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic, Position } from "../model/diagnostic.ts";
import type { DataOf } from "./data-of.ts";
import {
  apiText,
  fileNames,
  planHint,
  say,
  targetName,
  twoTargetsHint,
  unreadableCodes,
  unwritable,
  type Setting,
  type PlanTarget,
  type UnknownApi,
  type UnknownKind,
  type Unreadable,
  type Unsaveable,
  type Words,
} from "./mistake-words.ts";

/** The words of each mistake in an option, a variable or a file that ends a command before it does anything; its parameter is the data. */
const mistakes = {
  /** `file`: the key file, if the key was to come from one; it is empty. */
  no_key: ({ file }: { file?: string | undefined }) =>
    file === undefined
      ? say("There is no API key", "set HOSTFORM_API_KEY or HOSTFORM_KEY_FILE, or pass --key-file FILE")
      : say(`There is no API key in the file ${file}: it is empty`, "write the key into it"),
  /** The environment has a key, and names a file with one. */
  two_keys: () =>
    say(
      "Both HOSTFORM_API_KEY and HOSTFORM_KEY_FILE are set",
      "unset one of them, or pass --key-file FILE, which comes before both",
    ),
  /** The key cannot stand in a header. It is not shown. */
  bad_key: () =>
    say(
      "The API key contains spaces, line breaks or characters outside ASCII",
      "paste the key again; the key is not shown here",
    ),
  undivided_key: ({ headers: [first, second] }: { headers: readonly [string, string] }) =>
    say(
      `The API key has to hold two values with a colon between them, because the contract sends it in ${first} and ${second}`,
      "write it as FIRST:SECOND; the key itself is not shown",
    ),
  open_key_file: ({ path, mode }: { path: string; mode: number }) =>
    say(`The key file ${path} can be read by others (mode ${mode.toString(8)})`, `chmod 600 ${quoted(path)}`),
  /** `where`: the place that the path comes from, such as "in HOSTFORM_CA_FILE"; default: the option of the file. */
  unreadable: ({ file, path, reason, where = "given with --live" }: Unreadable) =>
    say(
      reason === noSuchFile ? `There is no file ${path}` : `The ${fileNames[file]} ${path} cannot be read: ${reason}`,
      file === "plan" ? planHint(path, reason === noSuchFile ? path : undefined) : `check the path ${where}`,
      unreadableCodes[file],
    ),
  unwritable: ({ file, path, reason }: { file: keyof typeof unwritable; path: string; reason: string }) =>
    unwritable[file](path, reason),
  /** There is something else at the path where the file would be written. */
  would_overwrite: ({ file, path }: { file: Exclude<FileRole, "key" | "ca">; path: string }) =>
    file === "snapshot"
      ? say(`${path} exists and is not a snapshot`, "give --out another name, or remove it first", "not_overwritten")
      : say(`${path} exists and is not a ${fileNames[file]}`, "name another file, or remove it"),
  /** `block`: the number of the first block that is not a certificate; absent if there is no block. */
  bad_ca_file: ({ path, block }: { path: string; block?: number | undefined }) =>
    say(
      block === undefined
        ? `The CA file ${path} holds no certificate`
        : `Block ${block} of the CA file ${path} is not a certificate`,
      "expected PEM: -----BEGIN CERTIFICATE-----, lines of base64, -----END CERTIFICATE-----; several may follow each other",
    ),
  /** The file that names the commands of the runner cannot be used. */
  bad_exec_file: ({ path, reason }: { path: string; reason: string }) =>
    say(
      `The file of commands ${path} cannot be used: ${reason}`,
      "expected a file outside the repository that only its owner may write (chmod go-w), with a line such as INFO_PASSWORD: [pass, show, info]",
    ),
  /** `place`: the file or the variable in which a command of the runner is written. */
  bad_command: ({ place, name, reason }: { place: string; name: string; reason: string }) =>
    say(
      `The command ${name} in ${place} cannot be used: ${reason}`,
      "expected a program of PATH, or its whole path, and its arguments: words between blanks, or a list such as [sh, -c, 'one | two']",
    ),
  bad_notify_url: () =>
    say(
      "--notify-url (HOSTFORM_NOTIFY_URL): expected an https URL without a user, and found something else, which is not shown because it may hold a token",
      "such as https://hooks.host.example/TOKEN",
      "bad_arguments",
    ),
  no_folder: ({ path }: { path: string }) =>
    say(`--allow-file ${path}: expected a folder`, "name the folder that the files are in"),
  /** The manifest does not declare the zone; or declares several, and none is named. */
  no_such_zone: ({ zone, zones }: { zone: string | undefined; zones: readonly string[] }) =>
    say(
      zone === undefined ? "No zone is named" : `The manifest does not declare the zone ${zone}`,
      zones.length === 0 ? "declare a zone under dns:" : `name one of its zones: ${zones.join(", ")}`,
    ),
  /** `given`: what was to name a server. */
  no_resolver: ({ given }: { given: string }) =>
    say(
      `--resolver ${given}: expected the address of a server`,
      "write it as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:5353",
    ),
  no_octodns_folder: ({ path }: { path: string }) =>
    say(`--from octodns ${path}: not a folder that holds zone files`, "name one with files such as example.com.yaml"),
  /** A manifest is to be written into a folder that holds something, or that is a file. */
  folder_not_empty: ({ path, isFile }: { path: string; isFile: boolean }) =>
    say(
      isFile ? `${path} is a file, not a folder` : `The folder ${path} is not empty`,
      `name a new folder; to add unmanaged resources to an existing manifest, use: hostform import --into ${quoted(path)}`,
    ),
  /** A symbolic link stands where something is to be written. */
  link_in_the_way: ({ path }: { path: string }) =>
    say(`${path} is a symbolic link, so nothing is written`, "remove the link, or name another folder"),
  /** `address`: its drift was to be written into the manifest. */
  not_drifted: ({ address }: { address: Address }) =>
    say(`${address} has not drifted, so nothing was written`, "hostform drift --unmanaged lists all that has"),
  accept_by_import: ({ address, path }: { address: Address; path: string }) =>
    say(
      `${address} is in no manifest, so nothing was written`,
      `hostform import --into ${quoted(path)} --only ${quoted(address)} adds it`,
    ),
  accept_undeclared: ({ address }: { address: Address }) =>
    say(`The manifest does not declare ${address} any more, so nothing was written`, "apply the manifest"),
  accept_by_hand: ({ address, fields, at }: { address: Address; fields: readonly string[]; at: Position }) => ({
    ...say(
      `The live values of ${address} cannot be written here, and nothing was written: a template, a variable, a secret or an alias makes them, or the manifest would then mean something else`,
      fields.length > 0 ? `edit ${nameSome(fields, 5)} by hand` : "take it out by hand",
    ),
    at,
  }),
  /** Something else has the name of a file that is to be written. */
  no_place: ({ path }: { path: string }) => say(`${path} already exists. Nothing was written`, "rename or remove it"),
  /** A manifest was changed by someone else while a command worked on it. */
  manifest_changed: ({ path }: { path: string }) =>
    say(`${path} was changed while the account was read, so nothing is written`, "run the command again"),
  /** A manifest is to be written beside another that is found in the same way. */
  manifest_beside: ({ path }: { path: string }) =>
    say(
      `There is a manifest already: ${path}`,
      `remove or rename it, or go on with it by hostform plan or hostform import --into ${quoted(path)}`,
    ),
  bad_domain: ({ text }: { text: string }) =>
    say(`--domain ${text}: this is not a domain name`, "write it as in shop.example"),
  /** A manifest names an API that the inventories of its repository do not know. */
  unknown_api: ({ name, asked, known, isOwn, unread, at }: UnknownApi) => ({
    summary: `The manifest ${name} sends the API key to ${apiText(asked, known)}, ${
      unread === undefined
        ? known.length === 0
          ? "and no inventory of this repository knows it"
          : `and ${isOwn ? "it was applied to" : "this repository has inventories of"} ${nameSome([...new Set(known.map((each) => apiText(each, [asked])))], 3)}`
        : `and whether it is for that API is not known: the inventories cannot be read from ${unread}`
    }. No request was sent`,
    hint: "if that is meant, pass --accept-target (an apply remembers it), or set HOSTFORM_BASE_URL, HOSTFORM_CONTRACT and HOSTFORM_CA_FILE",
    at,
  }),
  /** The value of a flag is not as expected. */
  wrong_value: ({ flag, expected, found, hint }: { flag: string; expected: string; found: unknown; hint: string }) =>
    say(`${flag}: expected ${expected}, found ${String(found)}`, hint, "bad_arguments"),
  no_target: () =>
    say(
      "No API was selected",
      "pass --base-url https://… (or set HOSTFORM_BASE_URL, or provider.base_url in the manifest), or --emulator to try it on the embedded service",
    ),
  /** Both the embedded service and a base URL are asked for. `data`: the file of the embedded service, if it was named. */
  two_targets: ({ from, data }: { from: Setting; data: string | undefined }) =>
    say(
      `Both the embedded service and a base URL (${URL.canParse(from.value) && /^https?:/iu.test(from.value) ? new URL(from.value).origin : "not a URL"}) are asked for`,
      twoTargetsHint(from, data),
    ),
  /** Both a snapshot and an option of the API are given. */
  snapshot_and_target: ({ option }: { option: TargetOption }) =>
    say(
      `Both a snapshot (--live) and ${targetFlags[option]} are given`,
      `leave out ${targetFlags[option]} to plan against the snapshot, or --live to plan against the API`,
      "two_targets",
    ),
  bad_snapshot: ({ path, fault }: { path: string; fault: string }) =>
    say(`${path} is not a usable snapshot: ${fault}`, "write it again with hostform snapshot --out FILE"),
  snapshot_of_other_contract: ({ path, taken, used }: { path: string; taken: string; used: string }) =>
    say(
      `${path} was taken with the contract ${taken}, and this plan uses ${used}`,
      "pass the same --contract to both, or take the snapshot again",
      "other_contract",
    ),
  snapshot_of_other_api: ({ path, taken, declared }: { path: string; taken: string; declared: string }) =>
    say(
      `${path} was taken from ${taken}, but the manifest's provider.base_url is ${declared}`,
      "take the snapshot from the API that the manifest names",
      "other_target",
    ),
  bad_plan: ({ path, fault }: { path: string; fault: string }) =>
    say(`${path} is not a saved plan: ${fault}`, planHint(path), "no_plan"),
  plan_for_other_target: ({ path, planned, now }: { path: string; planned: PlanTarget; now: PlanTarget }) =>
    say(
      `${path} is a plan for ${targetName(planned)}, and it would be applied to ${targetName(now)}`,
      "pass the --base-url and --contract that the plan was made for",
      "other_target",
    ),
  plan_for_other_contract: ({ path, contract }: { path: string; contract: string }) =>
    say(
      `The contract ${contract} is not the one that ${path} was made with: its file has changed`,
      "apply it with that contract, or plan again",
      "other_contract",
    ),
  /** Secrets that a saved plan cannot refer to: written in the manifest, or in files outside the current folder. */
  unsaveable: ({ plain, outside }: Unsaveable) => [
    ...plain.map(({ address, field, at }) => ({
      code: "plain_secret",
      summary: `${address} cannot be saved in a plan: its ${field} is written out in the manifest`,
      hint: 'write "${env:NAME}" or "${file:path}" instead: a saved plan holds no secrets',
      at,
    })),
    ...outside.map(({ address, file }) =>
      say(
        `${address} cannot be saved in a plan: its secret is read from ${file}, outside the current folder`,
        "run plan and apply in a folder that contains the manifests and the file, or use ${env:NAME}",
        "file_outside",
      ),
    ),
  ],
  /** The steps of a plan depend on more than its file would hold. */
  depends_on_more: () =>
    say(
      "The plan cannot be saved: its steps depend on more objects than its file would hold, such as objects without names of their own",
      "apply the manifest itself, with --approve and the hash of the plan",
    ),
  journal_is_inventory: ({ path }: { path: string }) =>
    say(`--journal and --inventory name the same file, ${path}`, "each needs a file of its own", "bad_arguments"),
  journal_of_other_target: ({ path, theirs, ours }: { path: string; theirs: string; ours: string }) =>
    say(
      `${path} is the journal of another target, ${JSON.stringify(theirs)}, and this one is ${JSON.stringify(ours)}`,
      "pass another file with --journal: this one records an apply of that target; a successful apply of that target removes it",
      "other_target",
    ),
  no_inventory: ({ where }: { where: string }) =>
    say(`There is no inventory to change (${where})`, "run it in a git repository, or name a file with --inventory"),
  /** The resource is not forgotten, because it was declared so. */
  prevent_destroy: ({ address }: { address: Address }) =>
    say(
      `${address} was declared with prevent_destroy, so it is not forgotten`,
      "declare it once more without prevent_destroy and apply that, then forget it",
    ),
  /** No kind has the name, so that the pattern matches nothing. */
  bad_pattern: ({ pattern, name, near, kinds }: UnknownKind) =>
    say(
      `${pattern}: the kind "${name}" does not exist`,
      near === undefined
        ? `write KIND/NAME, such as mailbox/info@example.com or "domain/*"; the kinds are ${kinds.join(", ")}`
        : `did you mean ${near}?`,
      "bad_address",
    ),
  /** Neither declared nor live. */
  unknown_address: ({ address, near }: { address: Address; near: readonly string[] }) =>
    say(
      `${address} is neither declared nor live`,
      near.length === 0 ? "hostform status lists what is live" : `did you mean ${near.join(", or ")}?`,
    ),
};

type Mistakes = typeof mistakes;

/** The data of a mistake; or its diagnostics, where another table has its words. */
export type InputMistake =
  | { readonly type: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly [T in keyof Mistakes]: { readonly type: T } & DataOf<Mistakes[T]> }[keyof Mistakes];

/** Returns the diagnostics of an input mistake. */
export function mistakeDiagnostics(mistake: InputMistake): readonly Diagnostic[] {
  const { type } = mistake;
  if (type === "diagnostics") return mistake.diagnostics;
  const words: Words | readonly Words[] = mistakes[type](mistake as never);
  return [words].flat().map(({ at, ...each }) => ({ severity: "error", code: type, ...each, ...(at && { at }) }));
}

/** The purpose of a file. */
type FileRole = keyof typeof fileNames;

/** The options that choose an API. */
export type TargetOption = keyof typeof targetFlags;

const targetFlags = {
  baseUrl: "--base-url",
  emulator: "--emulator",
  emulatorData: "--emulator-data",
  keyFile: "--key-file",
  caFile: "--ca-file",
};
