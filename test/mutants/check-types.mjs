// Whether each mutant compiles, by the compiler's own language service.
import { readFileSync } from "node:fs";
import ts from "typescript";

/** Returns the ids of the mutants that do not compile. The files of a round have a mutant each, so that few rounds are needed. */
export function findCompileErrors(mutants) {
  const check = startService();
  const rounds = [];
  for (const mutant of mutants) {
    const free = rounds.find((round) => !round.some(({ file }) => file === mutant.file));
    if (free === undefined) rounds.push([mutant]);
    else free.push(mutant);
  }
  const suspects = rounds.flatMap((round) => check(round));
  // A mutant of one file may change a type that the mutant of another file meets.
  return new Set(suspects.filter((mutant) => check([mutant]).length > 0).map(({ id }) => id));
}

function startService() {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile("tsconfig.json", (path) => ts.sys.readFile(path)).config,
    ts.sys,
    ".",
  );
  const changed = new Map();
  let version = 0;
  const service = ts.createLanguageService({
    getScriptFileNames: () => fileNames,
    getScriptVersion: (file) => changed.get(file)?.version ?? "0",
    getScriptSnapshot: (file) =>
      ts.sys.fileExists(file)
        ? ts.ScriptSnapshot.fromString(changed.get(file)?.text ?? readFileSync(file, "utf8"))
        : undefined,
    getCompilationSettings: () => ({ ...options, noEmit: true }),
    getCurrentDirectory: () => process.cwd(),
    getDefaultLibFileName: (each) => ts.getDefaultLibFilePath(each),
    fileExists: (path) => ts.sys.fileExists(path),
    readFile: (path) => ts.sys.readFile(path),
  });
  return (round) => {
    changed.clear();
    for (const mutant of round) {
      version += 1;
      changed.set(ts.sys.resolvePath(mutant.file), { text: applyMutant(mutant), version: String(version) });
    }
    return round.filter(({ file }) => {
      const path = ts.sys.resolvePath(file);
      return service.getSyntacticDiagnostics(path).length + service.getSemanticDiagnostics(path).length > 0;
    });
  };
}

function applyMutant({ file, start, end, replacement }) {
  const text = readFileSync(file, "utf8");
  return text.slice(0, start) + replacement + text.slice(end);
}
