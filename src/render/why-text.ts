import type { EngineEvent } from "../engine/session/events.ts";
import type { Place } from "../model/diagnostic.ts";
import type {
  ComparedField,
  ComparedObject,
  Declaration,
  Explanation,
  Relation,
  Undeclared,
  Verdict,
} from "../model/explanation.ts";
import { jsonText } from "../model/json.ts";
import type { Shown } from "../model/plan.ts";
import { harmless, shorten, widthOf } from "../lib/shorten.ts";
import { paint, cellOf, layOut, layOutText, printable, type Page, alignColumns, joinSections } from "./layout.ts";
import { describeShown } from "./change-text.ts";
import { layOutStep } from "./step-text.ts";
import { renderRefusals } from "./refusals-text.ts";

/** The words for a field that is compared on both sides. */
const verdicts: Readonly<Record<Verdict, string>> = {
  same: "same",
  same_but_spelt_otherwise: "equal, but formatted differently",
  differs: "differs",
  not_live: "not found",
  not_managed: "not managed",
  write_only: "write-only",
  read_only: "read-only",
  not_sent: "never sent",
  not_told: "not returned by the API",
  ignored_by_ignore_changes: "ignored by ignore_changes",
};

/** The words for a relation between two resources. */
const ways: Readonly<Record<Relation["how"], string>> = {
  needs: "Needs",
  refers_to: "Refers to",
  comes_after: "Comes after",
  shares: "Conflicts with",
  is_needed_by: "Is needed by",
  is_referred_to_by: "Is referred to by",
  comes_before: "Comes before",
};

/** Why one resource is planned as it is, for a person: where it is declared, its fields on both sides, its relations and its steps. */
export function renderWhy(
  { explanation, declaration, hasErrors }: Omit<Extract<EngineEvent, { type: "explanation" }>, "type">,
  page: Page,
): string {
  return joinSections([
    [paint(page, "bold", harmless(explanation.address))],
    declaration ? renderDeclaration(declaration, page) : [],
    renderPresence(explanation, page),
    ...renderObjects(explanation.objects, page),
    renderRelations(explanation.relations, page),
    renderSteps(explanation, hasErrors, page),
    renderRefusals(explanation, page),
  ]);
}

/** Returns sentences as lines of the page. */
const sentences = (texts: readonly string[], page: Page): string[] =>
  texts.flatMap((text) => layOutText(page, printable(page, text)));

function renderDeclaration({ at, lines, more, lastChange }: Declaration, page: Page): string[] {
  const width = String(lines.at(-1)?.number ?? 0).length;
  const number = (text: string) => paint(page, "blue", `${text.padStart(width)} |`);
  return [
    ...sentences(
      [
        `Declared at ${placeOf(at)}:${at.col}${lastChange ? `, ${renderCommit(lastChange)}` : ""}`,
        ...(at.uses ?? []).map(
          ({ template, at: defined, used }) =>
            `in templates.${template} at ${placeOf(defined)}, used at ${placeOf(used)}`,
        ),
      ],
      page,
    ),
    ...lines.map((line) => `${number(String(line.number))} ${harmless(line.text)}`),
    ...(more > 0 ? [`${number("…")} ${more} more ${more === 1 ? "line" : "lines"}`] : []),
  ];
}

const placeOf = ({ file, line }: Place) => `${file}:${line}`;

function renderCommit(change: NonNullable<Declaration["lastChange"]>): string {
  if (change === "not_committed") return "not committed yet";
  if (change === "cut_off")
    return "last changed before the history of this shallow clone begins (git fetch --unshallow)";
  const { commit, author, time, summary } = change;
  return `last changed in ${commit.slice(0, 12)} (${author}, ${time.slice(0, 10)}): ${summary}`;
}

/** Renders the presence of a resource: that it is missing, or why it may stay though nobody declares it. */
function renderPresence({ live, collection, incomplete, undeclared }: Explanation, page: Page): string[] {
  const lines = [
    ...(live ? [] : [incomplete === undefined ? "It is not live." : "It is not known whether it is live."]),
    ...(undeclared ? [`It is live, and no manifest declares it: ${renderUndeclared(undeclared, collection)}.`] : []),
    ...(incomplete === undefined ? [] : [`The list of ${collection} is incomplete: ${incomplete}`]),
  ];
  return sentences(lines, page);
}

function renderUndeclared(
  { platformOwned, ours, removed, ignoredBy, exclusive, exclusiveAt }: Undeclared,
  collection: string,
): string {
  if (platformOwned) return "the platform manages it, so Hostform never writes it";
  if (removed !== undefined)
    return `removed: names it, to ${removed === "delete" ? "be deleted" : "be forgotten, so it is left alone"}`;
  const place = exclusiveAt ? ` (${exclusiveAt.file}:${exclusiveAt.line})` : "";
  if (ignoredBy !== undefined) return `ignore: "${ignoredBy}" names it, so it is left alone`;
  if (exclusive) return `its collection ${collection} is exclusive${place}, so it is deleted`;
  if (ours) return "the inventory lists it as owned by this manifest";
  return `its collection ${collection} is not exclusive${place}, so it is left alone`;
}

const titles = ["FIELD", "WRITTEN", "NORMAL", "LIVE", "LIVE NORMAL", "VERDICT"];

const renderObjects = (objects: readonly ComparedObject[], page: Page): string[][] =>
  objects
    .filter(({ fields }) => fields.length > 0)
    .map(({ member, fields }) => [...(member ? [`Value ${cell(member, page)}`] : []), ...renderFields(fields, page)]);

/** The fields as a table if that fits on the page, if need be without columns of normal values that say nothing new; else each by itself. */
function renderFields(fields: readonly ComparedField[], page: Page): string[] {
  const { width } = page;
  const rows = fields.map(({ path, written, normal, live, liveNormal, verdict }) => {
    const values = [written, normal, live, liveNormal].map((shown) => cell(shown, page));
    return [harmless(path), ...values, verdicts[verdict]];
  });
  const isNeeded = titles.map((_, column) => rows.some((row) => isNew(row, column)));
  const whole = [titles, ...rows];
  const tables = [whole, whole.map((row) => row.filter((_, column) => isNeeded[column]))].map(alignColumns);
  const [head = "", ...lines] = tables.find((each) => each.every((line) => widthOf(line) <= width)) ?? [];
  const bold = (line: string, { verdict }: ComparedField) => (verdict === "differs" ? paint(page, "bold", line) : line);
  if (head !== "") return [paint(page, "bold", head), ...fields.map((field, index) => bold(lines[index] ?? "", field))];
  return fields.flatMap((field, index) => {
    const row = rows[index] ?? [];
    const values = [1, 2, 3, 4].filter((column) => row[column] !== "-" && isNew(row, column));
    const words = values.map((column) => cellOf(`${titles[column]} ${row[column]}`));
    return layOut(page, [cellOf(`${row[0]}: ${row[5]}`), ...words], 4).map((line) => bold(line, field));
  });
}

/** Whether a cell says more than the one before it: a normal value may be the value itself. */
const isNew = (row: readonly string[], column: number) =>
  titles[column]?.endsWith("NORMAL") !== true || row[column] !== row[column - 1];

/** Characters of a value that are shown: a table must stay one. `--json` has all of it. */
const widest = 39;

function cell(shown: Shown, page: Page): string {
  if (shown.is === "absent") return "-";
  const text = shown.is === "value" ? printable(page, jsonText(shown.value)) : describeShown(shown, page);
  return shorten(text, widest);
}

/** Relations of one sort that are named: a zone has thousands of records. */
const named = 10;

function renderRelations(relations: readonly Relation[], page: Page): string[] {
  const texts = Object.entries(ways).flatMap(([how, title]) => {
    const of = relations.filter((relation) => relation.how === how);
    const more = of.length - named;
    return [
      ...of.slice(0, named).map((relation) => `${title} ${renderRelation(relation)}`),
      ...(more > 0 ? [`${title} ${more} more`] : []),
    ];
  });
  return sentences(texts, page);
}

function renderRelation({ address, through, declared, live }: Relation): string {
  const is = `${declared ? "declared" : "not declared"}, ${live ? "live" : "not found"}`;
  return `${address}${through === undefined ? "" : ` (${through})`}: ${is}`;
}

/** Steps without their plan have no numbers; their reasons are given in full. */
const view = { numberWidth: 0, signWidth: 0, addressWidth: 0, explains: true };

function renderSteps({ steps, refusals, at }: Explanation, hasErrors: boolean, page: Page): string[] {
  if (steps.length > 0) {
    const waits = [...new Set(steps.flatMap(({ after }) => after))].filter((id) => !steps.some((own) => own.id === id));
    return [
      ...steps.flatMap((step) => layOutStep({ step }, view, page)),
      ...(waits.length > 0
        ? layOutText(page, printable(page, `      waits for ${waits.slice(0, named).join(", ")}`), 8)
        : []),
    ];
  }
  if (refusals.length > 0) return [];
  if (hasErrors) return ["No step: it cannot be planned with the error that is printed."];
  return [at ? "No step: all managed fields match the manifest." : "No step: it is left alone."];
}
