import { Document } from "yaml";
import type { DoctorFinding, DoctorReport } from "../model/doctor.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { escapeControls } from "../lib/escape.ts";
import { writeYaml } from "../lib/write-yaml.ts";
import { painter, type Paint } from "./paint.ts";
import { addTo } from "../lib/collect.ts";
import { counted } from "./table.ts";

/** Returns what was refuted in full, by kind, then counts of what was confirmed, and what was not tested with the reason. */
export function renderDoctor(
  { contract, findings, unread = {}, requests }: DoctorReport,
  { color }: { readonly color: boolean },
): string {
  const paint = painter(color);
  const groups = grouped(findings, groupOf);
  const refuted = [...groups].flatMap(([group, all]) => refutedLines(group, all, paint));
  const others = [...groups].flatMap(([group, all]) => otherLines(group, all, unread[group]));
  const count = (is: DoctorFinding["is"]) => findings.filter((each) => each.is === is).length;
  const sums = `Contract ${escapeControls(contract)}: ${count("refuted")} refuted, ${count("confirmed")} confirmed, ${count("not_tested")} not tested, by ${counted(requests, "GET")}.`;
  return `${[...refuted, ...others, "", sums].join("\n")}\n`;
}

/** The kind of an entry, or the part of the contract. */
const groupOf = ({ path: [root = "", kind] }: DoctorFinding): string =>
  root === "kinds" ? (kind ?? root) : ["dns", "tls", "key", "clock"].includes(root) ? "way to the API" : "all kinds";

/** Returns findings by a word, in the order in which the words come first. */
function grouped(findings: readonly DoctorFinding[], wordOf: (finding: DoctorFinding) => string) {
  const groups = new Map<string, DoctorFinding[]>();
  for (const finding of findings) addTo(groups, wordOf(finding), finding);
  return groups;
}

const pathText = (path: readonly string[]) => escapeControls(path.join("."));

function refutedLines(group: string, findings: readonly DoctorFinding[], paint: Paint): string[] {
  const refuted = findings.filter(({ is }) => is === "refuted");
  if (refuted.length === 0) return [];
  return [
    paint("bold", escapeControls(group)),
    ...refuted.flatMap(({ path, expected = "", found = "", write, hint }) => [
      `  ${paint("red", `refuted: ${pathText(path)}`)}`,
      `    expected: ${escapeControls(expected)}`,
      `    found:    ${escapeControls(found)}`,
      ...(write ? ["    write instead:", ...fragmentLines(write).map((line) => `      ${escapeControls(line)}`)] : []),
      ...(hint === undefined ? [] : [`    hint: ${escapeControls(hint)}`]),
    ]),
    "",
  ];
}

/** The words of a contract, below a comment with their place; what is to be taken away is a comment. */
function fragmentLines(write: JsonObject): string[] {
  const path: string[] = [];
  let here: Json = write;
  for (;;) {
    const [only, ...more]: (readonly [string, Json])[] = Object.entries(here as JsonObject);
    if (!only || more.length > 0 || path.length >= 3 || !isPlainObject(only[1])) break;
    path.push(only[0]);
    here = only[1];
  }
  const entries = Object.entries(here as JsonObject);
  const kept = Object.fromEntries(entries.filter(([, value]) => value !== null));
  const gone = entries.flatMap(([key, value]) => (value === null ? [key] : []));
  return [
    ...(path.length > 0 ? [`# at ${path.join(".")}`] : []),
    ...(gone.length > 0 ? [`# without ${gone.join(", ")}`] : []),
    ...(Object.keys(kept).length > 0 ? writeYaml(new Document(kept)).trimEnd().split("\n") : []),
  ];
}

const isPlainObject = (value: Json | undefined): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Members of records that are shown at most. */
const mostUnread = 20;

function otherLines(group: string, findings: readonly DoctorFinding[], unread: readonly string[] = []): string[] {
  const confirmed = findings.filter(({ is }) => is === "confirmed").length;
  const untested = grouped(
    findings.filter(({ is }) => is === "not_tested"),
    ({ reason = "" }) => reason,
  );
  const lines = [...untested].map(([reason, all]) => {
    const names = all.map(({ path }) => path.slice(path[0] === "kinds" ? 2 : 0).join("."));
    return `    not tested: ${escapeControls(`${names.join(", ")}: ${reason}`)}`;
  });
  const rest = unread.length > mostUnread ? `, and ${unread.length - mostUnread} more` : "";
  const names = unread.slice(0, mostUnread).join(", ");
  return [
    `  ${escapeControls(group)}: ${confirmed} confirmed`,
    ...lines,
    ...(unread.length > 0 ? [`    in the answers, read by no field: ${escapeControls(names)}${rest}`] : []),
  ];
}
