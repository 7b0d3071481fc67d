import { expect } from "vitest";
import type { Account } from "./account.ts";

type Service = Pick<Account, "byHand">;

/** A record as the service lists it. */
export interface LiveRecord {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
  readonly managed: boolean;
}

/** Returns the objects of all pages of a list of the service, or none if there is no such list. */
export async function listed<Item = LiveRecord>(service: Service, path: string, page = 1): Promise<readonly Item[]> {
  const { body } = await service.byHand("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
  const found = (body["data"] ?? []) as Item[];
  return found.length < 100 ? found : [...found, ...(await listed<Item>(service, path, page + 1))];
}

/** Returns the path of the list of a zone's records. Default: of the first zone. */
export async function recordsPath(service: Service, zone?: string): Promise<string> {
  const found = (await listed(service, "/v2026/dns/zones")).find(({ name }) => zone === undefined || name === zone);
  return `/v2026/dns/zones/${found?.id}/records`;
}

/** Returns the records of a zone, without those of the platform. Default: of the first zone. */
export async function liveRecords(service: Service, zone?: string): Promise<readonly LiveRecord[]> {
  return (await listed(service, await recordsPath(service, zone))).filter(({ managed }) => !managed);
}

/** Returns the names of the records of the first zone, without those of the platform, in their order. */
export const recordNames = async (service: Service): Promise<readonly string[]> =>
  (await liveRecords(service)).map(({ name }) => name).toSorted();

/** Gives the record that fits another content, as somebody does in a panel. Default: a record of the first zone. */
export async function changeRecord(
  service: Service,
  fits: (record: LiveRecord) => boolean,
  content: string,
  zone?: string,
): Promise<void> {
  const { id, name, type, ttl } = (await liveRecords(service, zone)).find(fits) ?? {};
  const path = `${await recordsPath(service, zone)}/${id}`;
  const { status, body } = await service.byHand("PUT", path, { name, type, ttl, content });
  expect(status, JSON.stringify(body)).toBe(200);
}
