import type {
  ProbeFinding,
  ProbeReport,
  ContractSummary,
  KindSummary,
  RequestSummary,
} from "../model/contract-summary.ts";
import { printable, type Page, paint, alignColumns, layOutText } from "./layout.ts";
import { groupBy } from "../lib/collect.ts";
import { counted, harmless } from "../lib/shorten.ts";
import { Document } from "yaml";
import type { Contract } from "../model/contract.ts";
import { writeYaml } from "../lib/yaml.ts";

/** Returns what was refuted in full, then for each kind what was seen, and what was not with the reason. */
export function renderDoctor({ contract, findings, requests }: ProbeReport, page: Page): string {
  const groups = groupBy(findings, ({ path: [root = "", kind] }) => (root === "kinds" ? (kind ?? root) : "all kinds"));
  const refuted = findings.flatMap((finding) => (finding.is === "refuted" ? refutedLines(finding, page) : []));
  const others = [...groups].flatMap(([group, all]) => otherLines(group, all, page));
  const count = (is: ProbeFinding["is"]) => findings.filter((each) => each.is === is).length;
  const sums = `Contract ${printable(page, contract)}: ${count("refuted")} refuted, ${count("seen")} seen, ${count("unseen")} unseen, by ${counted(requests, "GET")}.`;
  return `${[...refuted, ...others, "", ...layOutText(page, sums)].join("\n")}\n`;
}

const refutedLines = ({ path, expected = "", found = "" }: ProbeFinding, page: Page): string[] => [
  paint(page, "red", `refuted: ${printable(page, path.join("."))}`),
  ...layOutText(page, `    expected: ${printable(page, expected)}`, 6),
  ...layOutText(page, `    found:    ${printable(page, found)}`, 6),
];

function otherLines(group: string, findings: readonly ProbeFinding[], page: Page): string[] {
  const unseen = groupBy(
    findings.filter(({ is }) => is === "unseen"),
    ({ reason = "" }) => reason,
  );
  const seen = findings.filter(({ is }) => is === "seen").length;
  const lines = [...unseen].flatMap(([reason, all]) => {
    const names = all.map(({ path }) => path.slice(path[0] === "kinds" ? 2 : 0).join("."));
    return layOutText(page, `    unseen: ${printable(page, `${names.join(", ")}: ${reason}`)}`, 6);
  });
  return [`  ${printable(page, group)}: ${seen} seen`, ...lines];
}

/** Returns a table of the kinds that a contract offers, with their requests, and the entries that are assumed. */
export function renderSummary(
  file: string,
  { name, kinds, lacks, assumed }: ContractSummary,
  { color }: { readonly color: boolean },
): string {
  const [head = "", ...lines] = alignColumns([["KIND", "OFFERS"], ...kinds.map((kind) => [kind.kind, offers(kind)])]);
  const table = kinds.flatMap((kind, index) => [lines[index] ?? "", ...detailLines(kind)]);
  const weak = kinds.filter(({ isWeak }) => isWeak).map(({ kind }) => kind);
  const rest = [
    ...(lacks.length > 0 ? [`Kinds that the API lacks: ${lacks.join(", ")}.`] : []),
    ...(assumed.length > 0 ? [`Assumed outside the kinds: ${assumed.join(", ")}.`] : []),
    ...(weak.length > 0 ? [`Lists that the API does not count: ${weak.join(", ")}.`] : []),
    `Valid: the contract ${name === file ? name : `${name} in ${file}`} has ${counted(kinds.length, "kind")}.`,
  ];
  return `${[paint({ color }, "bold", head), ...[...table, "", ...rest].map(harmless)].join("\n")}\n`;
}

const offers = ({ offers: words, updateOf }: KindSummary): string =>
  [...words, ...(updateOf.length > 0 ? [`update of ${updateOf.join(" and ")}`] : [])].join(", ");

const detailLines = ({ lacks, assumed, requests }: KindSummary): string[] => [
  ...(lacks.length > 0 ? [`    fields that the API lacks: ${lacks.join(", ")}`] : []),
  ...(assumed.length > 0 ? [`    assumed: ${assumed[0] === "" ? "all" : assumed.join(", ")}`] : []),
  ...alignColumns(requests.map(requestCells)).map((line) => `    ${line}`),
];

function requestCells({ operation, method, path, query }: RequestSummary): string[] {
  const pairs = Object.entries(query).map(([name, text]) => `${name}=${text}`);
  return [operation, method, path + (pairs.length > 0 ? `?${pairs.join("&")}` : "")];
}

/** Returns a contract as YAML. */
export const renderContract = (contract: Contract): string => writeYaml(new Document(contract));
