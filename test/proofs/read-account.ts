import type { Account } from "../support/account.ts";

export type Item = Readonly<Record<string, unknown>>;

/** What an account holds, by the path of each list. */
export type Holdings = Readonly<Record<string, readonly Item[]>>;

const lists = ["services", "domains", "dns/zones", "mail/accounts", "mail/aliases", "ftp/accounts", "databases"];
const moreLists = ["database-users", "crons", "ssl/certificates"];

/** Everything that an account holds, read by hand and page by page. */
export async function readAccount({ byHand }: Account): Promise<Holdings> {
  const holdings: Record<string, readonly Item[]> = {};
  for (const list of [...lists, ...moreLists]) holdings[list] = await readPages(byHand, `/v2026/${list}`);
  for (const { id, name } of holdings["dns/zones"] ?? []) {
    const zone = `/v2026/dns/zones/${String(id)}`;
    holdings[`records of ${String(name)}`] = await readPages(byHand, `${zone}/records`);
    holdings[`dnssec of ${String(name)}`] = await readOne(byHand, `${zone}/dnssec`);
  }
  for (const { name } of holdings["domains"] ?? [])
    holdings[`mail of ${String(name)}`] = await readOne(byHand, `/v2026/mail/settings/${String(name)}`);
  return holdings;
}

/** As text without ids, times, versions and fingerprints, sorted: two accounts that are alike are equal in it. */
export const likeness = (holdings: Holdings): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    Object.entries(holdings).map(([list, items]) => [
      list,
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
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "{time}")
    .replace(/"etag":"(?:[^"\\]|\\.)*"/u, "");

/** None where there is none. */
async function readOne(byHand: Account["byHand"], path: string): Promise<readonly Item[]> {
  const { body } = await byHand("GET", path);
  return body["data"] === undefined ? [] : [body["data"] as Item];
}

async function readPages(byHand: Account["byHand"], path: string, page = 1): Promise<readonly Item[]> {
  const { status, body } = await byHand("GET", `${path}?page=${page}`);
  if (status !== 200) throw new Error(`GET ${path}: expected 200, was ${status} ${JSON.stringify(body)}`);
  const items = body["data"] as Item[];
  const { total, per_page: perPage } = body["meta"] as { total: number; per_page: number };
  return page * perPage < total ? [...items, ...(await readPages(byHand, path, page + 1))] : items;
}
