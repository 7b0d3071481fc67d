import { kinds } from "../../src/kinds/index.ts";
import type { Kind } from "../../src/kinds/kind.ts";

/** A place outside of a kind's own file that must know the kind. */
interface Place {
  readonly file: string;
  /** An example of the addition, for the failure message. */
  readonly add: string;
  /** The text that the file has where it knows the kind; the test takes its first match out to see the place missed. */
  readonly known: RegExp;
}

const inCamelCase = (name: string) => name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());
const inPascalCase = (name: string) => inCamelCase(`_${name}`);
/** Nothing creates or deletes the objects of some kinds, or lists them: the contract tells which operations there are. */
const section = ({ manifest }: Kind) => manifest.split(".")[0] ?? "";

/** All places that a kind needs, as kinds/README.md lists them. */
export function placesOf(kind: Kind): Place[] {
  const { name } = kind;
  const constant = inCamelCase(name);
  const schema = inPascalCase(name);
  return [
    {
      file: `src/kinds/${name}.ts`,
      add: `export const ${constant}: Kind`,
      known: new RegExp(`^export const ${constant}: Kind = `, "mu"),
    },
    { file: "src/kinds/index.ts", add: `${constant} in the list`, known: new RegExp(`^  ${constant},$`, "mu") },
    {
      file: "schemas/manifest.schema.json",
      add: `the section ${section(kind)}`,
      known: new RegExp(`^    "${section(kind)}": \\{`, "mu"),
    },
    {
      file: "schemas/manifest.schema.json",
      add: `the section ${section(kind)} in $defs.template, so that templates take it`,
      known: new RegExp(`^    "template": \\{\\n(?:(?! {4}\\}).*\\n)*? {8}"${section(kind)}": \\{`, "mu"),
    },
    {
      file: "schemas/manifest.schema.json",
      add: `"${name}" among the values of policy.protect`,
      known: new RegExp(`^ {14}"${name}",?$`, "mu"),
    },
    {
      file: "schemas/contracts/v2026.yaml",
      add: `an entry ${name} with its fields and operations`,
      known: new RegExp(`^  ${name}:$`, "mu"),
    },
    {
      file: "schemas/hosting-api.openapi.yaml",
      add: `the schema ${schema} and the paths of its operations`,
      known: new RegExp(`^    ${schema}:$`, "mu"),
    },
    {
      file: "src/emulator/kinds/kind-name.ts",
      add: `"${name}" in the list`,
      known: new RegExp(`^  "${name}",$`, "mu"),
    },
    {
      file: `src/emulator/kinds/${name.replaceAll("_", "-")}.ts`,
      add: `export const ${constant}: Kind`,
      known: new RegExp(`^export const ${constant}: Kind<?`, "mu"),
    },
    {
      file: "src/emulator/kinds/index.ts",
      add: `${constant} in the list`,
      known: new RegExp(`^  (?:${name}: )?${constant},$`, "mu"),
    },
    {
      file: "src/emulator/actions/index.ts",
      add: `what answers its operations, such as ...actionsOf(globalTarget("${name}"))`,
      known: new RegExp(`globalTarget\\("${name}"|${constant}Target\\b`, "u"),
    },
    {
      file: "test/kinds/samples.ts",
      add: `${name}: two values for each field that can be written`,
      known: new RegExp(`^  ${name}: \\{`, "mu"),
    },
    ...drawnIn(kind),
    {
      file: `examples/kinds/${name}.yaml`,
      add: "a manifest that shows it",
      known: new RegExp(`^${section(kind)}:`, "mu"),
    },
  ];
}

/** The tests that draw objects of the kind. Records are drawn by their types, and DNSSEC with its zone; accounts are drawn without certificates. */
function drawnIn({ name, manifest }: Kind): Place[] {
  const entry = (add: string) => ({ add: `${name}: ${add}`, known: new RegExp(`^  ${name}: `, "mu") });
  const [first = "", , second = ""] = manifest.split(".");
  const written = /^\w+$/u.test(second) ? second : first;
  return [
    { file: "test/support/generic-vendor.ts", ...entry("the key of its sample") },
    ...(["dns_record", "dnssec"].includes(name)
      ? []
      : [{ file: "test/proofs/forms-of-kinds.ts", ...entry("its form") }]),
    ...(name === "certificate"
      ? []
      : [
          { file: "test/proofs/vanishing.test.ts", ...entry("the parts of its address") },
          {
            file: "test/support/draw-account.ts",
            add: `${written} in the drawn sections`,
            known: new RegExp(`\\b${written}\\b`, "u"),
          },
        ]),
  ];
}

/** A sentence for each place that does not know its kind; `read` gives the text of a file, or undefined where there is none. */
export const missingPlaces = (read: (file: string) => string | undefined, of: readonly Kind[] = kinds): string[] =>
  of.flatMap((kind) =>
    placesOf(kind).flatMap(({ file, add, known }) =>
      known.test(read(file) ?? "") ? [] : [`kind ${kind.name} is missing in ${file} (add ${add})`],
    ),
  );
