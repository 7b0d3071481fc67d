// Checks the import rules of src/README.md. A run that saw no modules proves nothing, so it fails.
import { cruise } from "dependency-cruiser";
import extractTSConfig from "dependency-cruiser/config-utl/extract-ts-config";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { overBudget } from "./budgets.mjs";
import { flagsNamed, forbidden } from "./layers.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = process.argv[2] ?? "src";
process.chdir(root);

const { output } = await cruise(
  [folder],
  {
    validate: true,
    ruleSet: { forbidden: forbidden(folder) },
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    baseDir: root,
  },
  { extensions: [".ts"], conditionNames: ["import", "types"], exportsFields: ["exports"] },
  { tsConfig: extractTSConfig(`${root}tsconfig.json`) },
);

const seen = output.modules.filter((module) => module.source.startsWith(folder)).length;
for (const { rule, from, to } of output.summary.violations) {
  const why = forbidden(folder).find(({ name }) => name === rule.name)?.comment;
  console.error(`${from} imports ${to}: ${rule.name}. ${why}`);
}
console.log(`${seen} modules, ${output.summary.violations.length} broken import rules`);
// The bundle stands elsewhere than its sources: only lib/package-file.ts knows the way from both to the files of the package.
const lost = output.modules.filter(
  ({ source }) =>
    source.endsWith(".ts") &&
    source !== "src/lib/package-file.ts" &&
    /new URL\([^)]*import\.meta\.url/u.test(readFileSync(source, "utf8")),
);
for (const { source } of lost) console.error(`${source} looks for a file beside itself: use lib/package-file.ts.`);
const naming = output.modules.flatMap(({ source }) => {
  const path = source.slice(folder.length + 1);
  const wrong = source.startsWith(`${folder}/`) ? flagsNamed(path, readFileSync(source, "utf8")) : undefined;
  return wrong === undefined ? [] : [`${source} ${wrong}`];
});
for (const line of naming) console.error(line);
const sources = output.modules.map(({ source }) => source).filter((source) => source.startsWith("src/"));
const grown = folder === "src" ? overBudget(sources) : [];
for (const sentence of grown) console.error(sentence);
if (seen === 0) console.error(`No module found under ${folder}: nothing was checked.`);
process.exit(
  seen === 0 || grown.length > 0 || lost.length > 0 || naming.length > 0 || output.summary.violations.length > 0
    ? 1
    : 0,
);
