/** Returns whether a word is the path of a manifest: what the shell makes of `hosting/*.yaml`. */
export const isManifestPath = (word: string): boolean => /\.ya?ml$/u.test(word);

export const onePathAdvice = "-f takes a single path: give the folder (-f hosting/), or write -f before each file";

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
  destroy:
    "name each resource under removed: in the manifest, with action: delete, and write hostform apply -f FILE --allow-delete ADDRESS",
  state: "write hostform inventory -f FILE to list what is managed, or hostform status to see how it is",
  output: "write hostform status, or hostform snapshot --out FILE for all values",
  "get-zones": "write hostform import, or hostform snapshot --out FILE",
  dump: "write hostform import, or hostform snapshot --out FILE",
  export: "write hostform import, or hostform snapshot --out FILE",
};

/** Returns the command to type here instead of that of another tool. */
export const commandFor = (word: string): string | undefined =>
  Object.hasOwn(commands, word) ? commands[word] : undefined;

const flags: Readonly<Record<string, string>> = {
  target: "write --only ADDRESS",
  out: "write --out FILE, with two dashes",
  var: "write --var NAME=VALUE, with two dashes",
  "var-file": "write --var-file FILE, with two dashes",
  "auto-approve": "write --auto-approve, with two dashes",
  replace:
    "write --rotate ADDRESS for a password; a field that cannot be changed in place replaces its resource by itself",
  destroy: commands["destroy"] ?? "",
};

/** Finds a flag with one dash, as other tools write theirs, among arguments, and returns it with the flag to type here. */
export function foreignFlag(argv: readonly string[]): { readonly flag: string; readonly advice: string } | undefined {
  for (const word of argv) {
    const [, name] = /^-([a-z][a-z-]+)(?:=.*)?$/su.exec(word) ?? [];
    if (name !== undefined && Object.hasOwn(flags, name)) return { flag: `-${name}`, advice: flags[name] ?? "" };
  }
  return undefined;
}
