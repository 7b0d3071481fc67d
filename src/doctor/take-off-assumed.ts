import { type Document, isMap, isScalar, parseDocument } from "yaml";
import type { DoctorFinding } from "../model/doctor.ts";
import type { Path } from "./examination.ts";

/** Returns the text of a contract without `assumed` where all below it is confirmed, and how many were taken off. */
export function takeOffAssumed(
  text: string,
  findings: readonly DoctorFinding[],
): { readonly text: string; readonly taken: number } {
  const document = parseDocument(text);
  let taken = 0;
  for (const path of assumedPaths(document)) {
    const below = findings.filter((finding) => isBelow(path, finding.path));
    if (path[0] === "kinds" && path.length === 2) {
      taken += splitKind(document, path, below);
    } else if (below.length > 0 && below.every(({ is }) => is === "confirmed")) {
      document.deleteIn([...path, "assumed"]);
      taken += 1;
    }
  }
  return { text: taken === 0 ? text : document.toString({ lineWidth: 0 }), taken };
}

const isBelow = (path: Path, other: Path) => path.every((key, index) => other[index] === key);

/** Moves the mark of a whole kind to those of its fields and operations that are not confirmed. Returns how many lose it. */
function splitKind(document: Document, path: Path, below: readonly DoctorFinding[]): number {
  const confirmed = below.filter(({ is }) => is === "confirmed").length;
  if (confirmed === 0) return 0;
  document.deleteIn([...path, "assumed"]);
  for (const finding of below) {
    const isMarked = ["fields", "operations"].includes(finding.path[2] ?? "") && finding.path.length === 4;
    if (isMarked && finding.is !== "confirmed" && isMap(document.getIn(finding.path, true)))
      document.setIn([...finding.path, "assumed"], true);
  }
  return confirmed;
}

/** Returns the paths of all mappings that are marked. */
function assumedPaths(document: Document): Path[] {
  const found: Path[] = [];
  const walk = (node: unknown, path: Path) => {
    if (!isMap(node)) return;
    if (node.get("assumed") === true) found.push(path);
    for (const { key, value } of node.items) if (isScalar(key)) walk(value, [...path, String(key.value)]);
  };
  walk(document.contents, []);
  return found;
}
