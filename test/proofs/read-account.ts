import { openDatabase, prepareStatement } from "../../src/emulator/store/database.ts";
import type { Account } from "../support/account.ts";

/** A record as the service keeps it, with its id; of a zone's also the zone's name. */
export type Item = Readonly<Record<string, unknown>>;

/** What an account holds, by kind, in the order in which it was made. */
export type Holdings = Readonly<Record<string, readonly Item[]>>;

/** Looks into the service's store: what is there is not to be told by the paging, nor by the faults, of what is being proved. */
export function openReader({ dataFile }: Pick<Account, "dataFile">): {
  readonly read: () => Holdings;
  readonly close: () => void;
} {
  const database = openDatabase(dataFile);
  const objects = prepareStatement(database, "SELECT kind, scope, record FROM objects ORDER BY seq");
  const read = (): Holdings => {
    const rows = objects.all().map(([kind, scope, text]) => ({
      kind: String(kind),
      scope: String(scope),
      record: JSON.parse(String(text)) as Item,
    }));
    const zones = new Map(
      rows.map(({ kind, record }) => [record["id"], kind === "dns_zone" ? record["name"] : undefined]),
    );
    const holdings: Record<string, Item[]> = {};
    for (const { kind, scope, record } of rows) {
      const zone = zones.get(scope);
      (holdings[kind] ??= []).push(zone === undefined ? record : { zone, ...record });
    }
    return holdings;
  };
  return { read, close: () => database.close() };
}

/** As text without ids, times and fingerprints, sorted: two accounts that are alike are equal in it. */
export const likeness = (holdings: Holdings): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(holdings).map(([kind, items]) => [
      kind,
      items.map((item) => alike(JSON.stringify(item, inOrder))).toSorted(),
    ]),
  );

/** Keys in the order of the alphabet. */
const inOrder = (_: string, value: unknown): unknown =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;

const alike = (text: string): string =>
  text
    .replaceAll(/"[a-z]{2,8}_[A-Za-z0-9_-]{8,}"(?!:)/gu, '"{id}"')
    .replaceAll(/\b[0-9a-f]{64}\b/gu, "{fingerprint}")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "{time}");
