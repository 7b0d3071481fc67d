import { Document } from "yaml";
import type { Contract } from "../model/contract.ts";
import type { ContractSummary, KindSummary, RequestSummary } from "../model/contract-summary.ts";
import { harmless } from "../lib/shorten.ts";
import { writeYaml } from "../lib/write-yaml.ts";
import { paint, alignColumns } from "./layout.ts";
import { counted } from "../lib/counted.ts";

/** Returns a table of the kinds that a contract offers, with their requests, and the entries that are assumed. */
export function renderSummary(
  file: string,
  { name, kinds, lacks, assumed }: ContractSummary,
  { color }: { readonly color: boolean },
): string {
  const [head = "", ...lines] = alignColumns([["KIND", "OFFERS"], ...kinds.map((kind) => [kind.kind, offers(kind)])]);
  const table = lines.flatMap((line, index) => [line, ...detailLines(kinds[index])]);
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

const detailLines = (kind: KindSummary | undefined): string[] => {
  const { lacks = [], assumed = [], requests = [] } = kind ?? {};
  return [
    ...(lacks.length > 0 ? [`    fields that the API lacks: ${lacks.join(", ")}`] : []),
    ...(assumed.length > 0 ? [`    assumed: ${assumed[0] === "" ? "all" : assumed.join(", ")}`] : []),
    ...alignColumns(requests.map(requestCells)).map((line) => `    ${line}`),
  ];
};

function requestCells({ operation, method, path, query }: RequestSummary): string[] {
  const pairs = Object.entries(query).map(([name, text]) => `${name}=${text}`);
  return [operation, method, path + (pairs.length > 0 ? `?${pairs.join("&")}` : "")];
}

/** Returns a contract as YAML. */
export const renderContract = (contract: Contract): string => writeYaml(new Document(contract));
