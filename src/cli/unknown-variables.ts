import { existsSync } from "node:fs";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Io } from "./io.ts";

/** The variables of the environment, without `HOSTFORM_`. PACKAGE is for the workflow that init writes. */
const known = ["API_KEY", "KEY_FILE", "BASE_URL", "CA_FILE", "CONTRACT", "FILE", "PACKAGE"];

/**
 * Returns a warning for each variable `HOSTFORM_…` that nothing reads, and whose name is nearly that of one which is read. A manifest or
 * a saved plan may refer to any name; one that comes from standard input is not looked at, and nothing is said then.
 */
export async function unknownVariables(argv: readonly string[], env: Io["env"]): Promise<Diagnostic[]> {
  const names = Object.keys(env).filter((name) => /^HOSTFORM_(?!VAR_)/u.test(name) && !known.includes(name.slice(9)));
  const words = argv.map((word) => word.replace(/^--?[\w-]+=/u, ""));
  if (names.length === 0 || words.includes("-")) return [];
  const { nearest } = await import("../model/nearest.ts");
  const misspelt = names.flatMap((name) => {
    const meant = nearest(name.slice(9), known);
    return meant === undefined ? [] : { name, meant };
  });
  if (misspelt.length === 0) return [];
  const { readSources } = await import("../manifest/sources.ts");
  const paths = [...words.slice(1), env["HOSTFORM_FILE"] ?? "hosting", "hostform.yaml"].filter((path) =>
    existsSync(path),
  );
  const { sources } = await readSources(paths, { readStdin: async () => Buffer.of() });
  const isNamed = (name: string) =>
    sources.some(({ text }) => text.includes(`\${env:${name}}`) || text.includes(`"env": "${name}"`));
  return misspelt
    .filter(({ name }) => !isNamed(name))
    .map(({ name, meant }) => ({
      severity: "warning",
      code: "unknown_variable",
      summary: `The variable ${name} has no effect`,
      hint: `did you mean HOSTFORM_${meant}?`,
    }));
}
