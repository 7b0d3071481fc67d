import { packageFile } from "../lib/package-file.ts";
import { Document, isMap, isNode, isScalar, visit } from "yaml";
import type { ContractDraft } from "../model/contract-draft.ts";
import { escapeControls } from "../lib/escape.ts";

/** Entries that are longer than this stand on several lines. */
const widest = 150;

/** Returns a drafted contract as YAML: each guess with its reason, and what is left out at the end. */
export function renderDraft(file: string, { contract, origin, guesses, leftOut }: ContractDraft): string {
  const document = new Document(contract, { aliasDuplicateObjects: false });
  foldLeaves(document);
  for (const { path, reason } of guesses) {
    const node = document.getIn(path, true);
    if (isNode(node) && isFlow(node)) node.comment = ` ${plain(reason)}`;
    else if (isNode(node)) node.commentBefore = ` ${plain(reason)}`;
  }
  const head = [
    `yaml-language-server: $schema=${packageFile("dist/schemas/contract.schema.json")}`,
    `Drafted from ${file}. Everything here is a guess until it is tried: the reason stands beside each entry.`,
    "Check it with `hostform contract check`, then plan with it, which only reads.",
    origin === undefined
      ? "The description names no server: pass --base-url."
      : `The first server of the description: --base-url ${origin}`,
  ];
  const rest = leftOut.map(({ subject, reason }) => `${subject}: ${reason}`);
  const end = rest.length === 0 ? [] : ["", "Left out:", ...rest.map((line) => `- ${line}`)];
  return [
    ...head.map(asComment),
    document.toString({ lineWidth: 0 }).trimEnd(),
    ...end.map((line) => (line === "" ? "" : asComment(line))),
    "",
  ]
    .join("\n")
    .split("\n")
    .map(escapeControls)
    .join("\n");
}

const plain = (text: string) => text.replaceAll(/\p{Cc}|\p{Zl}|\p{Zp}/gu, " ");
const asComment = (text: string) => `# ${plain(text)}`;

const isFlow = (node: unknown) => isScalar(node) || (isMap(node) && node.flow === true);

/** Words whose entries stand on a line each. */
const blocks: ReadonlySet<string> = new Set([
  "request",
  "answer",
  "kinds",
  "fields",
  "operations",
  "params",
  "update_of",
]);

/** Writes the innermost maps on one line each, as people write contracts. */
function foldLeaves(document: Document): void {
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isMap(value) || (isScalar(key) && blocks.has(String(key.value))) || value.has("fields")) return;
      value.flow = JSON.stringify(value).length < widest;
    },
    Seq: (_, node) => {
      node.flow = JSON.stringify(node).length < widest;
    },
  });
}
