/** Replaces the words `help` and `version` by the flags that yargs knows: `help plan` is `plan --help`. */
export function withHelpWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "version") return ["--version", ...rest];
  return first === "help" ? [...rest, "--help"] : argv;
}

/** Whether arguments end with a word that asks for help. */
export const asksForHelp = (argv: readonly string[]): boolean =>
  /^(?:--help|-h)$/u.test(withHelpWords(argv).at(-1) ?? "");
