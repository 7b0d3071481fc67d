import type { Account } from "../support/account.ts";

export type Item = Readonly<Record<string, unknown>>;

/** Every zone of an account with its records, by plain GETs of all pages. */
export async function readAccount({ byHand }: Account): Promise<ReadonlyMap<string, readonly Item[]>> {
  const zones = await readPages(byHand, "/v2026/dns/zones");
  const entries = zones.map(
    async ({ id, name }) => [String(name), await readPages(byHand, `/v2026/dns/zones/${String(id)}/records`)] as const,
  );
  return new Map(await Promise.all(entries));
}

export interface Operation {
  readonly seq: number;
  readonly method: string;
  readonly status: number;
}

/** The whole audit log, oldest first. */
export async function readOperations(account: Account, after = 0): Promise<readonly Operation[]> {
  const { body } = await account.byHand("GET", `/_emulator/operations?after=${after}`);
  const operations = body["data"] as Operation[];
  const last = operations.at(-1);
  return last === undefined ? [] : [...operations, ...(await readOperations(account, last.seq))];
}

async function readPages(byHand: Account["byHand"], path: string, page = 1): Promise<readonly Item[]> {
  const { status, body } = await byHand("GET", `${path}?page=${page}&per_page=100`);
  if (status !== 200) throw new Error(`GET ${path}: expected 200, was ${status} ${JSON.stringify(body)}`);
  const items = body["data"] as Item[];
  const { total } = body["meta"] as { total: number };
  return page * 100 < total ? [...items, ...(await readPages(byHand, path, page + 1))] : items;
}
