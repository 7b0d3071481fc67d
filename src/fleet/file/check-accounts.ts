import { dirname, join } from "node:path";
import { getOrMake, groupBy } from "../../lib/collect.ts";
import { nameSome } from "../../lib/shorten.ts";
import { findCircle } from "../../manifest/read/check-references.ts";
import { newSuggester } from "../../model/nearest.ts";
import { diagnosticAt } from "../../manifest/yaml/diagnostic-at.ts";
import { positionOf, type WrittenScalar } from "../../manifest/yaml/written.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Account, KeySource } from "../model.ts";
import { keyText } from "./account-key.ts";

/** An account, and where fleet.yaml has what it is made of. */
export interface PlacedAccount {
  readonly account: Account;
  /** Its folder without links. */
  readonly real: string;
  /** The pattern that names its folder. */
  readonly node: WrittenScalar;
  readonly key: WrittenScalar | undefined;
  readonly needs: readonly WrittenScalar[];
}

/** Finds what is wrong with the accounts of a fleet together. */
export function checkAccounts(placed: readonly PlacedAccount[]): Diagnostic[] {
  return [...checkFolders(placed), ...checkKeys(placed), ...checkNeeds(placed)];
}

/** An account, and another one in its way. */
type Pair = readonly [PlacedAccount, PlacedAccount];

/**
 * Finds folders and names that are listed twice, and folders in the folder of another account, whose manifest would be read with both.
 */
function checkFolders(placed: readonly PlacedAccount[]): Diagnostic[] {
  const first = new Map<string, PlacedAccount>();
  const names = new Map<string, PlacedAccount>();
  const [twice, nested, same]: [Pair[], Pair[], Pair[]] = [[], [], []];
  for (const each of placed) {
    const known = getOrMake(first, each.real, () => each);
    const namesake = getOrMake(names, each.account.name, () => each);
    if (known !== each) twice.push([each, known]);
    else if (namesake !== each) same.push([each, namesake]);
  }
  for (const each of first.values())
    for (let folder = dirname(each.real); dirname(folder) !== folder; folder = dirname(folder)) {
      const outer = first.get(folder);
      if (outer) nested.push([each, outer]);
    }
  return [
    ...mistakesOf(twice, "duplicate_account", () => "Listed twice", "remove one of the two"),
    ...mistakesOf(same, "duplicate_name", () => "Another account has the same name", "write another one as name:"),
    ...mistakesOf(
      nested,
      "nested_account",
      (outer) => `In the folder of the account ${outer}`,
      "move one of the folders",
    ),
  ];
}

/** Returns the mistakes of pairs, one for each two patterns: they may name a thousand folders. */
function mistakesOf(
  pairs: readonly Pair[],
  code: string,
  summaryFor: (other: string) => string,
  hint: string,
): Diagnostic[] {
  const groups = groupBy(pairs, (pair) => pair.map(({ node }) => node.start).join(" "));
  return [...groups.values()].map((group) => {
    const [[{ node }, other]] = group;
    const names = group.map(([{ account }]) => account.name);
    return diagnosticAt(node, {
      code,
      summary: `${summaryFor(other.account.name)}: ${nameSome(names, 3)}`,
      hint: `${hint}, or leave a folder out of a pattern with except:`,
      ...besides(other),
    });
  });
}

const besides = ({ node, account }: PlacedAccount) => ({
  related: [{ at: positionOf(node), message: `${account.name} is listed here` }],
});

/** Finds keys that two owners share, each once. */
function checkKeys(placed: readonly PlacedAccount[]): Diagnostic[] {
  const users = new Map<string, Map<string, PlacedAccount>>();
  for (const each of placed) {
    const { key, owner } = each.account;
    const owners = key && getOrMake(users, keyText(normal(key)), () => new Map<string, PlacedAccount>());
    if (owners) getOrMake(owners, owner, () => each);
  }
  return [...users].flatMap(([text, owners]) => {
    const [first, second] = [...owners.values()];
    if (!first || !second) return [];
    return diagnosticAt(second.key ?? second.node, {
      code: "shared_key",
      summary: `These owners share the key ${text}: ${nameSome([...owners.keys()], 3)}`,
      detail: "a key of its own for each owner; an account without owner: is its own owner",
      hint: 'write key: "${env:KEY_${owner}}" or "${file:keys/${account}}", or the same owner: for them all',
      ...besides(first),
    });
  });
}

const normal = (key: KeySource): KeySource => ("file" in key ? { file: join(".", key.file) } : key);

/** Finds needs of accounts that do not exist, and circles. */
function checkNeeds(placed: readonly PlacedAccount[]): Diagnostic[] {
  const names = new Map(placed.map((each) => [each.account.name, each]));
  const suggest = newSuggester();
  // Those of a pattern have one list.
  const nodes = new Set(placed.flatMap(({ needs }) => needs));
  const unknown = [...nodes].flatMap((node) => {
    if (names.has(node.text)) return [];
    const near = suggest(node.text, names.keys());
    return diagnosticAt(node, {
      code: "unknown_account",
      summary: `The fleet has no account ${node.text}`,
      detail: "the name: of an account, or its folder relative to this file",
      hint: near === undefined ? "list it under accounts:, or take it out of needs:" : `did you mean ${near}?`,
    });
  });
  const done = new Set<string>();
  const needsOf = (name: string) => names.get(name)?.account.needs ?? [];
  const circles = placed.flatMap((each) => {
    const circle = findCircle(each.account.name, needsOf, done) ?? [];
    const [name = ""] = circle;
    const node = names.get(name)?.needs.find(({ text }) => text === (circle[1] ?? name));
    if (!node) return [];
    return diagnosticAt(node, {
      code: "circle",
      summary:
        circle.length === 1
          ? `The account ${name} needs itself`
          : `Accounts need each other in a circle: ${shown(circle)}`,
      hint: "take one of them out of needs:, or out of a pattern with except:",
    });
  });
  return [...unknown, ...circles];
}

const shown = (circle: readonly string[]) =>
  [...circle.slice(0, 5), ...(circle.length > 5 ? ["…"] : []), circle[0]].join(" → ");
