import { namePlace } from "../emulator/index.ts";
import { isNode, type Document } from "yaml";
import { parseYaml } from "../lib/yaml.ts";
import { readNamedText } from "../lib/read-file.ts";
import { diagnosticAt } from "../manifest/yaml/diagnostic-at.ts";
import { explainError } from "../lib/yaml-words.ts";
import type { SourceText, Span } from "../manifest/yaml/written.ts";
import { InputError, inputError, orMistake } from "../engine/session/input-error.ts";

type Range = Omit<Span, "source">;

/** Far more than any set of rules takes. */
const maxBytes = 1024 * 1024;

const hint =
  'it is a list of rules in YAML or JSON, such as [{ "match": { "method": "POST" }, "fault": { "status": 503 } }]';

/**
 * Reads a file of fault rules, which are not checked yet. Throws an InputError for a text that is not YAML. `mistakes` makes the error of
 * mistakes by dotted place, such as `0.fault.status`, with their places in the file.
 */
export function readFaults(file: string) {
  const cannotRead = (remedy: string) => (reason: string) =>
    inputError("bad_faults", `The file of faults ${file} cannot be read: ${reason}`, remedy).mistake;
  const text = orMistake(() => readNamedText(file, maxBytes), cannotRead("check the path given with --fault"));
  const source = { file, text };
  const document = parseYaml(source.text);
  const [wrong, next] = document.errors;
  if (wrong) {
    const { words, ...at } = explainError(text, wrong, next);
    const found = mistake(source, at, words?.summary ?? wrong.message);
    throw new InputError({ type: "diagnostics", diagnostics: [found] });
  }
  const explain = ([place, texts]: [string, readonly string[]]) =>
    mistake(source, rangeOf(document, place), `${namePlace(place)} ${texts.join("; ")}`);
  return {
    // An alias without its anchor, or too many of them, shows only here.
    rules: orMistake((): unknown => document.toJS(), cannotRead(hint)),
    mistakes: (errors: Readonly<Record<string, readonly string[]>>) =>
      new InputError({ type: "diagnostics", diagnostics: Object.entries(errors).map(explain) }),
  };
}

const mistake = (source: SourceText, at: Range, summary: string) =>
  diagnosticAt({ source, ...at }, { severity: "error", code: "bad_faults", summary, hint });

/** Of the node at a place, or of the last one on the way there: what is missing has none. */
function rangeOf(document: Document, place: string): Range {
  const path = place === "" ? [] : place.split(".");
  const nodes = path.map((_, index) => document.getIn(path.slice(0, path.length - index), true)).filter(isNode);
  const [start = 0, end = 0] = nodes[0]?.range ?? document.contents?.range ?? [];
  return { start, end };
}
