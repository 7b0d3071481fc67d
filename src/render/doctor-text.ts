import type { ProbeFinding, ProbeReport } from "../model/doctor.ts";
import { printable, type Page, paint } from "./layout.ts";
import { addTo } from "../lib/collect.ts";
import { counted } from "../lib/counted.ts";

/** Returns what was refuted in full, then for each kind what was seen, and what was not with the reason. */
export function renderDoctor({ contract, findings, requests }: ProbeReport, page: Page): string {
  const groups = grouped(findings, ({ path: [root = "", kind] }) => (root === "kinds" ? (kind ?? root) : "all kinds"));
  const refuted = findings.flatMap((finding) => (finding.is === "refuted" ? refutedLines(finding, page) : []));
  const others = [...groups].flatMap(([group, all]) => otherLines(group, all, page));
  const count = (is: ProbeFinding["is"]) => findings.filter((each) => each.is === is).length;
  const sums = `Contract ${printable(page, contract)}: ${count("refuted")} refuted, ${count("seen")} seen, ${count("unseen")} unseen, by ${counted(requests, "GET")}.`;
  return `${[...refuted, ...others, "", sums].join("\n")}\n`;
}

function grouped(findings: readonly ProbeFinding[], wordOf: (finding: ProbeFinding) => string) {
  const groups = new Map<string, ProbeFinding[]>();
  for (const finding of findings) addTo(groups, wordOf(finding), finding);
  return groups;
}

const refutedLines = ({ path, expected = "", found = "" }: ProbeFinding, page: Page): string[] => [
  paint(page, "red", `refuted: ${printable(page, path.join("."))}`),
  `    expected: ${printable(page, expected)}`,
  `    found:    ${printable(page, found)}`,
];

function otherLines(group: string, findings: readonly ProbeFinding[], page: Page): string[] {
  const unseen = grouped(
    findings.filter(({ is }) => is === "unseen"),
    ({ reason = "" }) => reason,
  );
  const seen = findings.filter(({ is }) => is === "seen").length;
  const lines = [...unseen].map(([reason, all]) => {
    const names = all.map(({ path }) => path.slice(path[0] === "kinds" ? 2 : 0).join("."));
    return `    unseen: ${printable(page, `${names.join(", ")}: ${reason}`)}`;
  });
  return [`  ${printable(page, group)}: ${seen} seen`, ...lines];
}
