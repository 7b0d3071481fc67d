import { existsSync } from "node:fs";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Io } from "./io.ts";

/** The variables of the environment, without `HOSTFORM_`. PACKAGE is for the workflow that init writes. */
const known = ["API_KEY", "KEY_FILE", "BASE_URL", "CA_FILE", "CONTRACT", "FILE", "NO_CACHE", "PACKAGE"];

/**
 * Returns a warning for each variable `HOSTFORM_…` that nothing reads, as it is misspelt. A manifest or a saved plan may refer to any
 * name; one that comes from standard input is not looked at, and nothing is said then.
 */
export async function unknownVariables(argv: readonly string[], env: Io["env"]): Promise<Diagnostic[]> {
  const names = Object.keys(env).filter((name) => /^HOSTFORM_(?!VAR_)/u.test(name) && !known.includes(name.slice(9)));
  const words = argv.map((word) => word.replace(/^--?[\w-]+=/u, ""));
  if (names.length === 0 || words.includes("-")) return [];
  const [{ readSources }, { nearest }] = await Promise.all([
    import("../manifest/sources.ts"),
    import("../model/nearest.ts"),
  ]);
  const paths = [...words.slice(1), env["HOSTFORM_FILE"] ?? "hosting", "hostform.yaml"].filter((path) =>
    existsSync(path),
  );
  const { sources } = await readSources(paths, { readStdin: async () => Buffer.of() });
  const isNamed = (name: string) =>
    sources.some(({ text }) => text.includes(`\${env:${name}}`) || text.includes(`"env": "${name}"`));
  return names
    .filter((name) => !isNamed(name))
    .map((name) => {
      const near = nearest(name.slice(9), known);
      const hint =
        near === undefined
          ? `the variables are HOSTFORM_VAR_NAME, ${known.map((each) => `HOSTFORM_${each}`).join(", ")}`
          : `did you mean HOSTFORM_${near}?`;
      return { severity: "warning", code: "unknown_variable", summary: `The variable ${name} has no effect`, hint };
    });
}
