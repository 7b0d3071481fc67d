/** Commands and flags of other tools for the same work, and the words to type here. */
const words: Readonly<Record<string, string>> = {
  "api-key": "set HOSTFORM_API_KEY, or name the file of the key in HOSTFORM_KEY_FILE or with --key-file",
  destroy: "take it out of the manifest: hostform plan -f FILE then shows each deletion, and the consent that it needs",
  diff: "write hostform plan -f FILE",
  preview: "write hostform plan -f FILE",
  push: "write hostform apply -f FILE",
  refresh: "leave it out: every plan reads the live state, such as hostform plan -f FILE",
  state: "write hostform inventory -f FILE to list and change what is managed, or hostform status to see how it is",
  target: "write --only ADDRESS",
  up: "write hostform apply -f FILE",
  yes: "write --auto-approve, or --approve with the hash that the plan prints",
};

/** Returns the words to type here in place of a command or a flag of another tool. The flag is given without its dashes. */
export const wordHere = (word: string): string | undefined => (Object.hasOwn(words, word) ? words[word] : undefined);
