import { Graph, layout, type GraphLabel, type NodeLabel, type Point } from "@dagrejs/dagre";
import { groupBy } from "../../lib/collect.ts";
import { counted, shorten } from "../../lib/shorten.ts";
import type { Plan, Step, StepId } from "../../model/plan.ts";
import { printable, type Page } from "../layout.ts";
import { signs } from "../step-text.ts";
import { html, type Content, type Html } from "./html.ts";
import type { PageItem } from "./page-items.ts";

/** Boxes that a reader can follow; beyond them, steps of one domain that wait equally long share a box, and at last those of all domains. */
const mostBoxes = 40;
const mostFoldedBoxes = 90;

const [width, height] = [176, 46];
const labelWidth = 100;
/** Characters of a box's line, and of the name at a gap. */
const [longest, longestName] = [22, 14];

/** A step as the picture shows it. */
interface Placed {
  readonly step: Step;
  readonly item: PageItem;
  /** The number of the step itself, where its item has two. */
  readonly number: number;
  /** How many steps stand before it in the longest chain. */
  readonly depth: number;
  /** Whether no step waits for it, and it waits for none. */
  readonly isAlone: boolean;
}

type Box = readonly [Placed, ...Placed[]];
type Boxes = ReadonlyMap<string, Box>;

interface Edge {
  readonly from: string;
  readonly to: string;
  /** The names that have no answer meanwhile; none of an order alone. */
  readonly gaps: readonly string[];
}

/** An edge as it is laid out: its way, and the place of its text. */
interface Route extends Partial<Record<"x" | "y" | "width" | "height", number>> {
  readonly points?: readonly Point[];
  readonly labelpos?: "c";
}

type Drawing = Graph<GraphLabel, NodeLabel, Route>;

const gapsOf = ({ gaps = [] }: Step) => gaps;

/**
 * Draws the order of a plan's steps: an arrow leads from each step to those that wait for it, and a broken one from the beginning of a gap
 * to its end. Undefined where no step waits for another, and there is no gap.
 */
export function drawOrder(plan: Plan, items: readonly PageItem[], page: Page): Html | undefined {
  const steps = placeSteps(plan, items);
  const chained = steps.filter(({ isAlone }) => !isAlone);
  if (chained.length === 0) return undefined;
  const boxes = fold(chained);
  const others = steps.filter(({ isAlone }) => isAlone);
  const alone = [...groupBy(others, ({ item }) => `${item.tone} ${item.kind}`).values()];
  const isFolded = boxes.size < chained.length;
  const hasGap = plan.steps.some((step) => gapsOf(step).length > 0);
  return html`<p>An arrow leads from a step to those that wait for it.${isFolded && " Steps that are alike share a box."}
${hasGap && html`A <span class="warn">broken arrow</span> is a gap: from its beginning to its end, a name has no answer.`}</p>
${drawBoxes(boxes, page)}${alone.length > 0 && html`<p>Waiting for nothing:</p><ul class="alone">${alone.map((group) => html`<li>${linkTo(group, html`<b class="${toneOf(group)}">${signOf(group)}</b> ${titleOf(group)}`)}</li>`)}</ul>`}`;
}

/** Groups steps into as many boxes as a reader can follow. */
function fold(steps: readonly Placed[]): Boxes {
  if (steps.length <= mostBoxes) return groupBy(steps, ({ step }) => step.id);
  const ofDomains = groupBy(steps, (each) => `${each.item.subject} ${alike(each)}`);
  return ofDomains.size <= mostFoldedBoxes ? ofDomains : groupBy(steps, alike);
}

/** Steps of equal depth do not wait for each other, so boxes of them stand in no circle. */
const alike = ({ step, item, depth }: Placed) =>
  [depth, item.kind, step.action, step.replaces, gapsOf(step).length > 0, item.outcome?.tone].join(" ");

function placeSteps({ steps }: Plan, items: readonly PageItem[]): Placed[] {
  const itemAt = new Map(items.flatMap((item) => item.numbers.map((number) => [number, item] as const)));
  const depths = new Map<StepId, number>();
  const chained = new Set<StepId>();
  for (const step of steps) {
    const before = step.after.filter((each) => depths.has(each));
    const longestBefore = before.reduce((most, each) => Math.max(most, depths.get(each) ?? 0), -1);
    depths.set(step.id, longestBefore + 1);
    const others = [...before, ...gapsOf(step).map(({ until }) => until)];
    if (others.length > 0) for (const each of [step.id, ...others]) chained.add(each);
  }
  return steps.flatMap((step, index) => {
    const item = itemAt.get(index + 1);
    const depth = depths.get(step.id) ?? 0;
    return item ? [{ step, item, number: index + 1, depth, isAlone: !chained.has(step.id) }] : [];
  });
}

const marker = (id: string, size: number) =>
  html`<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="${size}" markerHeight="${size}" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>`;

function drawBoxes(boxes: Boxes, page: Page): Html {
  const graph: Drawing = new Graph();
  graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 48, edgesep: 8, marginx: 12, marginy: 12 });
  for (const key of boxes.keys()) graph.setNode(key, { width, height });
  const edges = edgesBetween(boxes);
  for (const { from, to, gaps } of edges)
    graph.setEdge(from, to, gaps.length > 0 ? { width: labelWidth, height: 16, labelpos: "c" } : {});
  layout(graph);
  const { width: wide = 0, height: high = 0 } = graph.graph();
  return html`<div class="picture" tabindex="0" role="region" aria-label="Picture of the order">
<svg width="${Math.ceil(wide)}" height="${Math.ceil(high)}" viewBox="0 0 ${Math.ceil(wide)} ${Math.ceil(high)}" role="group" aria-label="Boxes of steps, with arrows to those that wait for them">
<defs>${marker("arrow", 7)}${marker("gap-arrow", 5)}</defs>
${edges.map((edge) => drawEdge(edge, graph, page))}${[...boxes].map(([key, group]) => drawBox(group, graph.node(key)))}</svg></div>`;
}

/** Returns an edge for each order between two boxes that no other edges imply, and one for each gap. */
function edgesBetween(boxes: Boxes): Edge[] {
  const boxOf = new Map([...boxes].flatMap(([key, group]) => group.map(({ step }) => [step.id, key] as const)));
  const next = new Map([...boxes.keys()].map((key) => [key, new Map<string, Set<string>>()]));
  const join = (a: StepId, b: StepId, ...names: readonly string[]) => {
    const [from = "", to = ""] = [boxOf.get(a), boxOf.get(b)];
    const targets = next.get(from);
    if (targets && next.has(to) && from !== to) targets.set(to, new Set([...(targets.get(to) ?? []), ...names]));
  };
  for (const { step } of [...boxes.values()].flat()) {
    for (const before of step.after) join(before, step.id);
    for (const { until, name } of gapsOf(step)) join(step.id, until, name);
  }
  const isImplied = (targets: ReadonlyMap<string, unknown>, to: string) =>
    [...targets.keys()].some((via) => via !== to && leads(via, to, next));
  return [...next].flatMap(([from, targets]) =>
    [...targets].flatMap(([to, gaps]) =>
      gaps.size > 0 || !isImplied(targets, to) ? [{ from, to, gaps: [...gaps] }] : [],
    ),
  );
}

function leads(from: string, to: string, next: ReadonlyMap<string, ReadonlyMap<string, unknown>>): boolean {
  const seen = new Set([from]);
  for (const key of seen) for (const other of next.get(key)?.keys() ?? []) seen.add(other);
  return seen.has(to);
}

const at = (x: number, y: number) => `${Math.round(x)} ${Math.round(y)}`;

/** Draws an edge from the right side of a box to the left side of another. It bends between the columns of boxes alone, so it crosses none. */
function drawEdge({ from, to, gaps }: Edge, graph: Drawing, page: Page): Html {
  const { points = [], x: labelX = 0, y: labelY = 0 }: Route = graph.edge(from, to);
  const columns = new Set(graph.nodes().map((key: string) => Math.round(graph.node(key).x ?? 0)));
  const [begin, end] = [graph.node(from), graph.node(to)];
  const passed = points.slice(1, -1).filter(({ x }) => columns.has(Math.round(x)));
  const ways = [
    { x: begin.x ?? 0, y: begin.y ?? 0, wide: width },
    ...passed.map((point) => ({ ...point, wide: width })),
    ...(gaps.length > 0 ? [{ x: labelX, y: labelY, wide: labelWidth }] : []),
    { x: end.x ?? 0, y: end.y ?? 0, wide: width },
  ].toSorted((a, b) => a.x - b.x);
  const path = ways.map(({ x, y, wide }, index) => {
    const last = ways[index - 1];
    if (!last) return `M${at(x + wide / 2, y)}`;
    const [exit, entry] = [last.x + last.wide / 2, x - wide / 2];
    const middle = (exit + entry) / 2;
    const through = index < ways.length - 1 ? `L${at(x + wide / 2, y)}` : "";
    return `C${at(middle, last.y)} ${at(middle, y)} ${at(entry, y)}${through}`;
  });
  const [name = ""] = gaps;
  if (gaps.length === 0) return html`<path class="edge" d="${path.join("")}" marker-end="url(#arrow)"/>`;
  const text = gaps.length === 1 ? shorten(printable(page, name), longestName) : counted(gaps.length, "name");
  return html`<path class="edge gap" d="${path.join("")}" marker-end="url(#gap-arrow)"/><text class="gap-text" x="${Math.round(labelX)}" y="${Math.round(labelY) - 5}" text-anchor="middle"><title>No answer: ${gaps.join(", ")}</title>${text}</text>`;
}

function drawBox(group: Box, { x = 0, y = 0 }: NodeLabel): Html {
  const [from, top] = [Math.round(x - width / 2), Math.round(y - height / 2)];
  const hasGap = group.some(({ step }) => gapsOf(step).length > 0);
  const hasFailed = group.some(({ item }) => item.outcome?.tone === "bad");
  const content = html`<rect class="box ${toneOf(group)} ${hasFailed && "failed"}" x="${from}" y="${top}" width="${width}" height="${height}" rx="6"/>
<text x="${from + 12}" y="${top + 19}"><tspan class="sign-text ${toneOf(group)}">${signOf(group)}</tspan> <tspan class="box-title">${titleOf(group)}</tspan></text>
${hasGap && html`<text class="gap-text" x="${from + width - 10}" y="${top + 19}" text-anchor="end">gap</text>`}
<text class="box-name" x="${from + 12}" y="${top + 36}">${shorten(nameOf(group), longest)}</text><title>${group.slice(0, 20).map(({ item }) => `${item.address}\u0020`)}</title>`;
  return linkTo(group, content);
}

/** A link to the first step of a box; the page's script shows all of them. */
const linkTo = (group: Box, content: Content): Html =>
  html`<a href="#s${group[0].item.numbers[0]}" data-steps="${[...new Set(group.map(({ item }) => item.numbers[0]))].join(" ")}">${content}</a>`;

/** The halves of a replacement stand apart: what it deletes, and what it makes. */
const toneOf = ([first]: Box) => first.step.action;
const signOf = (group: Box) => signs[toneOf(group)];

const titleOf = ([first, ...others]: Box) =>
  `${others.length > 0 ? `${others.length + 1} ×` : first.number} ${first.item.kind}`;

function nameOf([first, ...others]: Box): string {
  if (others.length === 0) return first.item.address.slice(first.item.kind.length + 1);
  const { size } = new Set([first, ...others].map(({ item }) => item.subject));
  return size === 1 ? first.item.subject : `in ${counted(size, "domain")}`;
}
