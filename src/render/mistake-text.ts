import { nameSome } from "../lib/name-some.ts";
import { quoted } from "../lib/quoted.ts";
import { noSuchFile } from "../lib/no-such-file.ts";
import type { FileRole, InputMistake } from "../engine/session/input-error.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { apiText, targetFlags, targetName, twoTargetsHint } from "./target-text.ts";

type MistakeText = Omit<Diagnostic, "severity">;
type MistakeTexts = { readonly [T in InputMistake["type"]]: (mistake: MistakeOf<T>) => readonly MistakeText[] };
type MistakeOf<T extends InputMistake["type"]> = Extract<InputMistake, { type: T }>;

/** Returns the diagnostics of an input mistake. */
export function mistakeDiagnostics(mistake: InputMistake): readonly Diagnostic[] {
  if (mistake.type === "diagnostics") return mistake.diagnostics;
  const texts = mistakeTexts[mistake.type](mistake as never);
  return texts.map((each) => ({ severity: "error", ...each }));
}

const one = (code: string, summary: string, hint: string): MistakeText[] => [{ code, summary, hint }];

const mistakeTexts: MistakeTexts = {
  diagnostics: ({ diagnostics }) => diagnostics,
  no_key: ({ file }) =>
    file === undefined
      ? one("no_key", "There is no API key", "set HOSTFORM_API_KEY, or pass --key-file FILE")
      : one("no_key", `There is no API key in the file ${file}: it is empty`, "write the key into it"),
  two_keys: () =>
    one(
      "two_keys",
      "Both HOSTFORM_API_KEY and HOSTFORM_KEY_FILE are set",
      "unset one of them, or pass --key-file FILE, which comes before both",
    ),
  bad_key: () =>
    one(
      "bad_key",
      "The API key contains spaces, line breaks or characters outside ASCII",
      "paste the key again; the key is not shown here",
    ),
  undivided_key: ({ headers: [first, second] }) =>
    one(
      "undivided_key",
      `The API key has to hold two values with a colon between them, because the contract sends it in ${first} and ${second}`,
      "write it as FIRST:SECOND; the key itself is not shown",
    ),
  open_key_file: ({ path, mode }) =>
    one(
      "open_key_file",
      `The key file ${path} can be read by others (mode ${mode.toString(8)})`,
      `chmod 600 ${quoted(path)}`,
    ),
  unreadable: ({ file, path, reason, where }) => {
    const code = unreadable[file];
    const summary = `The ${fileNames[file]} ${path} cannot be read: ${reason}`;
    return one(
      code,
      reason === noSuchFile ? `There is no file ${path}` : summary,
      file === "plan"
        ? planHint(path, reason === noSuchFile ? path : undefined)
        : `check the path ${where ?? "given with --live"}`,
    );
  },
  unwritable: (mistake) => unwritable[mistake.file](mistake),
  would_overwrite: ({ file, path }) =>
    file === "snapshot"
      ? one("not_overwritten", `${path} exists and is not a snapshot`, "give --out another name, or remove it first")
      : one("would_overwrite", `${path} exists and is not a ${fileNames[file]}`, "name another file, or remove it"),
  bad_ca_file: ({ path, block }) =>
    one(
      "bad_ca_file",
      block === undefined
        ? `The CA file ${path} holds no certificate`
        : `Block ${block} of the CA file ${path} is not a certificate`,
      "expected PEM: -----BEGIN CERTIFICATE-----, lines of base64, -----END CERTIFICATE-----; several may follow each other",
    ),
  no_folder: ({ path }) =>
    one("no_folder", `--allow-file ${path}: expected a folder`, "name the folder that the files are in"),
  no_such_zone: ({ zone, zones }) =>
    one(
      "no_such_zone",
      zone === undefined ? "No zone is named" : `The manifest does not declare the zone ${zone}`,
      zones.length === 0 ? "declare a zone under dns:" : `name one of its zones: ${zones.join(", ")}`,
    ),
  no_octodns_folder: ({ path }) =>
    one(
      "no_octodns_folder",
      `--from octodns ${path}: expected a folder`,
      "name the folder that the zones of octoDNS are in",
    ),
  folder_not_empty: ({ path }) =>
    one(
      "folder_not_empty",
      `The folder ${path} is not empty`,
      `name a new folder; to add unmanaged resources to an existing manifest, use: hostform import --into ${quoted(path)}`,
    ),
  link_in_the_way: ({ path }) =>
    one(
      "link_in_the_way",
      `${path} is a symbolic link, so nothing is written`,
      "remove the link, or name another folder",
    ),
  no_place: ({ path }) => one("no_place", `${path} already exists. Nothing was written`, "rename or remove it"),
  manifest_changed: ({ path }) =>
    one(
      "manifest_changed",
      `${path} was changed while the account was read, so nothing is written`,
      "run the command again",
    ),
  manifest_beside: ({ path }) =>
    one(
      "manifest_beside",
      `There is a manifest already: ${path}`,
      `remove or rename it, or go on with it by hostform plan or hostform import --into ${quoted(path)}`,
    ),
  bad_domain: ({ text }) =>
    one("bad_domain", `--domain ${text}: this is not a domain name`, "write it as in shop.example"),
  unknown_api: ({ name, asked, known, isOwn, unread, at }) => [
    {
      code: "unknown_api",
      summary: `The manifest ${name} sends the API key to ${apiText(asked, known)}, ${
        unread === undefined
          ? `and ${isOwn ? "it was applied to" : "this repository has inventories of"} ${nameSome([...new Set(known.map((each) => apiText(each, [asked])))], 3)}`
          : `and whether it is for that API is not known: the inventories cannot be read from ${unread}`
      }. No request was sent`,
      hint: "if that is meant, pass --accept-target (an apply remembers it), or set HOSTFORM_BASE_URL, HOSTFORM_CONTRACT and HOSTFORM_CA_FILE",
      ...(at && { at }),
    },
  ],
  no_target: () =>
    one(
      "no_target",
      "No API was selected",
      "pass --base-url https://… (or set HOSTFORM_BASE_URL, or provider.base_url in the manifest), or --emulator to try it on the embedded service",
    ),
  two_targets: ({ from, data }) =>
    one(
      "two_targets",
      `Both the embedded service and a base URL (${URL.canParse(from.value) && /^https?:/iu.test(from.value) ? new URL(from.value).origin : "not a URL"}) are asked for`,
      twoTargetsHint(from, data),
    ),
  snapshot_and_target: ({ option }) => {
    const flag = targetFlags[option];
    return one(
      "two_targets",
      `Both a snapshot (--live) and ${flag} are given`,
      `leave out ${flag} to plan against the snapshot, or --live to plan against the API`,
    );
  },
  bad_snapshot: ({ path, fault }) =>
    one(
      "bad_snapshot",
      `${path} is not a usable snapshot: ${fault}`,
      "write it again with hostform snapshot --out FILE",
    ),
  snapshot_of_other_contract: ({ path, taken, used }) =>
    one(
      "other_contract",
      `${path} was taken with the contract ${taken}, and this plan uses ${used}`,
      "pass the same --contract to both, or take the snapshot again",
    ),
  snapshot_of_other_api: ({ path, taken, declared }) =>
    one(
      "other_target",
      `${path} was taken from ${taken}, but the manifest's provider.base_url is ${declared}`,
      "take the snapshot from the API that the manifest names",
    ),
  bad_plan: ({ path, fault }) => one("no_plan", `${path} is not a saved plan: ${fault}`, planHint(path)),
  plan_to_standard_output: () =>
    one("bad_arguments", "A plan is not saved to standard output", "name a file; for a script, use --json"),
  plan_for_other_target: ({ path, planned, now }) =>
    one(
      "other_target",
      `${path} is a plan for ${targetName(planned)}, and it would be applied to ${targetName(now)}`,
      "pass the --base-url and --contract that the plan was made for",
    ),
  plan_for_other_contract: ({ path, contract }) =>
    one(
      "other_contract",
      `The contract ${contract} is not the one that ${path} was made with: its file has changed`,
      "apply it with that contract, or plan again",
    ),
  unsaveable: ({ plain, outside }) => [
    ...plain.map(({ address, field, at }) => ({
      code: "plain_secret",
      summary: `${address} cannot be saved in a plan: its ${field} is written out in the manifest`,
      hint: 'write "${env:NAME}" or "${file:path}" instead: a saved plan holds no secrets',
      ...(at && { at }),
    })),
    ...outside.flatMap(({ address, file }) =>
      one(
        "file_outside",
        `${address} cannot be saved in a plan: its secret is read from ${file}, outside the current folder`,
        "run plan and apply in a folder that contains the manifests and the file, or use ${env:NAME}",
      ),
    ),
  ],
  depends_on_more: () =>
    one(
      "depends_on_more",
      "The plan cannot be saved: its steps depend on more objects than its file would hold, such as objects without names of their own",
      "apply the manifest itself, with --approve and the hash of the plan",
    ),
  journal_is_inventory: ({ path }) =>
    one("bad_arguments", `--journal and --inventory name the same file, ${path}`, "each needs a file of its own"),
  journal_of_other_target: ({ path, theirs, ours }) =>
    one(
      "other_target",
      `${path} is the journal of another target, ${JSON.stringify(theirs)}, and this one is ${JSON.stringify(ours)}`,
      "pass another file with --journal: this one records an apply of that target; a successful apply of that target removes it",
    ),
  no_inventory: ({ where }) =>
    one(
      "no_inventory",
      `There is no inventory to change (${where})`,
      "run it in a git repository, or name a file with --inventory",
    ),
  prevent_destroy: ({ address }) =>
    one(
      "prevent_destroy",
      `${address} was declared with prevent_destroy, so it is not forgotten`,
      "declare it once more without prevent_destroy and apply that, then forget it",
    ),
  bad_pattern: ({ pattern, name, near, kinds }) =>
    one(
      "bad_address",
      `${pattern}: there is no kind "${name}"`,
      near === undefined
        ? `write KIND/NAME, such as mailbox/info@example.com or "domain/*"; the kinds are ${kinds.join(", ")}`
        : `did you mean ${near}?`,
    ),
  unknown_address: ({ address, near }) =>
    one(
      "unknown_address",
      `${address} is neither declared nor live`,
      near.length === 0 ? "hostform status lists what is live" : `did you mean ${near.join(", or ")}?`,
    ),
};

const fileNames: Readonly<Record<FileRole, string>> = {
  key: "key file",
  ca: "CA file",
  snapshot: "snapshot",
  plan: "saved plan",
  journal: "journal",
};

const unreadable: Readonly<Record<MistakeOf<"unreadable">["file"], string>> = {
  key: "no_key_file",
  ca: "no_ca_file",
  snapshot: "no_snapshot",
  plan: "no_plan",
};

/** Returns how to save a plan, in a new file, and how to give a manifest, which may be meant. */
function planHint(path: string, file = "plan.json"): string {
  const word = quoted(path);
  return `hostform plan --out ${quoted(file)} writes one; a manifest is given as -f ${word}: write hostform apply -f ${word} or hostform plan -f ${word}`;
}

const unwritable: Readonly<
  Record<MistakeOf<"unwritable">["file"], (mistake: MistakeOf<"unwritable">) => MistakeText[]>
> = {
  snapshot: ({ reason }) =>
    one("not_written", `The snapshot cannot be written: ${reason}`, "check the path given with --out"),
  plan: ({ path, reason }) => one("cannot_write", `No plan can be saved in ${path}: ${reason}`, "check the path"),
  lock: ({ path, reason }) =>
    one(
      "no_lock",
      `The lock file cannot be written to ${path}: ${reason}`,
      "nothing was changed, because a lock in the temporary folder keeps a second apply out; make room there, and make it writable",
    ),
  journal: ({ path, reason }) =>
    one(
      "no_journal",
      `No journal can be kept in ${path}: ${reason}`,
      "nothing was changed, because an interrupted apply cannot be recovered without a journal; pass a writable file: --journal FILE",
    ),
};
