/** The way to delete, whatever another tool calls it. */
const deletion =
  "take it out of the manifest: hostform plan -f FILE then shows each deletion, and the consent that it needs";

const keyPlace = "put the API key in HOSTFORM_API_KEY, or name its file with --key-file";

/** Commands of other tools for the same work, and the command here. */
const commands: Readonly<Record<string, string>> = {
  fmt: "the manifest is YAML, so any formatter of YAML will do; hostform validate -f FILE checks it",
  lint: "write hostform validate -f FILE",
  preview: "write hostform plan -f FILE",
  diff: "write hostform plan -f FILE",
  refresh: "there is no state to refresh: hostform plan -f FILE reads the live state each time",
  push: "write hostform apply -f FILE",
  up: "write hostform apply -f FILE",
  deploy: "write hostform apply -f FILE",
  destroy: deletion,
  down: deletion,
  delete: deletion,
  state: "write hostform inventory -f FILE to list what is managed, or hostform status to see how it is",
  output: "write hostform status, or hostform snapshot --out FILE for all values",
  explain: "write hostform why ADDRESS",
  "get-zones": "write hostform import, or hostform snapshot --out FILE",
  dump: "write hostform import, or hostform snapshot --out FILE",
  "state show": "write hostform why ADDRESS -f FILE",
  "state rm": "write hostform inventory --forget ADDRESS -f FILE",
  "force-unlock": "write hostform inventory --unlock -f FILE",
  check: "write hostform validate -f FILE",
  sync: "write hostform apply -f FILE",
  taint: "write --rotate ADDRESS to send a password again: hostform apply -f FILE --rotate ADDRESS",
  login: keyPlace,
  workspace: "keep a manifest for each account, and name it with -f",
};

const readsAlways = "leave it out: every plan reads the live state";
const unasked = "write --auto-approve, or --approve with the hash that the plan prints";

/** Flags of other tools, whether they write them with one dash or two, and the flag here. */
const flags: Readonly<Record<string, string>> = {
  target: "write --only ADDRESS",
  replace:
    "write --rotate ADDRESS for a password; a field that cannot be changed in place replaces its resource by itself",
  destroy: deletion,
  refresh: readsAlways,
  "refresh-only": readsAlways,
  input: "leave it out: only apply asks, and not with --approve or --auto-approve",
  lock: "leave it out: an apply always takes the lock, and --lock-timeout says how long it waits",
  chdir: "change to the folder first, or name the manifest with -f",
  "api-key": keyPlace,
  token: keyPlace,
  y: unasked,
  yes: unasked,
  doit: "write hostform apply, which does it; hostform plan does not",
};

const words: Readonly<Record<string, string>> = { ...flags, ...commands };

/** Returns the words to type here in place of a command or a flag of another tool, which is given without its dashes. */
export const wordHere = (word: string, next = ""): string | undefined =>
  [`${word} ${next}`, word].flatMap((each) => (Object.hasOwn(words, each) ? (words[each] ?? []) : []))[0];
