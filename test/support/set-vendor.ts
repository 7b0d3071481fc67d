import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { answerJson, startHttpsServer } from "./https-server.ts";

/** A member as the vendor keeps it; `weight` is a word that no contract names. */
export interface Member {
  readonly value: string;
  readonly note?: string | null;
  readonly weight?: number;
}

/** A set as the vendor keeps it; `label` is a word that no contract names. */
export interface VendorSet {
  readonly name: string;
  readonly type: string;
  readonly ttl: number;
  readonly label?: string;
  readonly records: readonly Member[];
}

/**
 * How the vendor takes sets: `rrset` with a request for each part of a set, `filters` with one PUT for a set and a DELETE that names it in
 * its body, `bulk` with a PATCH of a list of sets, where one without members goes, `whole` with all sets of a zone in one PUT, `flat` the same with records side by side.
 */
export const flavours = ["rrset", "filters", "bulk", "whole", "flat"] as const;
export type Flavour = (typeof flavours)[number];

const word = (flavour: Flavour, inSet: string, flat: string) => (flavour === "flat" ? flat : inSet);

/** The contract of the vendor, over the built-in one. */
export function setContract(flavour: Flavour): string {
  const path = "/zones/{zone}/sets";
  const operations: Record<Flavour, string> = {
    rrset: `
      set:
        create: { method: POST, path: "${path}" }
        update:
          - { method: POST, path: "${path}/{name}/{type}/records", send: [content, comment] }
          - { method: POST, path: "${path}/{name}/{type}/ttl", send: [ttl] }
        delete: { method: DELETE, path: "${path}/{name}/{type}" }
        read: { method: GET, path: "${path}/{name}/{type}", answer: { record: /set } }`,
    filters: `
      set:
        create: { method: PUT, path: "${path}", base: { overwrite: true }, at: /zone/0 }
        update: [{ method: PUT, path: "${path}", base: { overwrite: true }, at: /zone/0 }]
        delete: { method: DELETE, path: "${path}", at: /filters/0, send: [name, type] }`,
    bulk: `
      set:
        create: { method: PATCH, path: "${path}", at: /0 }
        update: [{ method: PATCH, path: "${path}", at: /0, send: [name, type, ttl, content, comment] }]
        delete: { method: PATCH, path: "${path}", at: /0, send: [name, type], body: { /0/records: [] } }`,
    whole: `
      zone: { method: PUT, path: "${path}", at: /sets }`,
    flat: `
      zone: { method: PUT, path: "${path}", at: /sets }`,
  };
  return `contract: 1
extends: v2026
name: sets-${flavour}
kinds:
  dns_record:
    id: null
    etag: null
    answer: { list: /sets }
    paging: { style: none }
    params: { zone: { key: zone }, name: { field: name }, type: { key: type } }
    fields:
      name: { at: /name }
      type: { at: /type }
      content: { at: ${word(flavour, "/records/value", "/value")}, as: [priority_inside] }
      comment: { at: ${word(flavour, "/records/note", "/note")} }
      ttl: { at: /ttl }
      priority: { absent: true }
      disabled: { absent: true }
      managed: { absent: true }
    operations:
      list: { method: GET, path: "${path}"${word(flavour, ", explode: /records", "")} }
      read: null
      create: null
      update: null
      delete: null${operations[flavour]}
`;
}

/** Does something before or after a write, or instead of it; counts from 1. */
export type Meddle = (n: number, when: "before" | "after", response: ServerResponse) => boolean | void;

export interface SetVendor {
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** The sets of the zone; may be replaced by a test, as someone else would. */
  sets: readonly VendorSet[];
  /** Each write, as METHOD, path and body. */
  readonly writes: string[];
  meddle: Meddle;
  readonly write: (name: string, text: string) => string;
  readonly close: () => Promise<void>;
}

const zoneName = "shop.test";

type Body = Record<string, unknown>;

/** Starts a vendor with one zone. */
export async function startSetVendor(flavour: Flavour): Promise<SetVendor> {
  const folder = mkdtempSync(join(tmpdir(), "hostform-sets-"));
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const reply = (response: ServerResponse, status: number, body?: unknown) => answerJson(response, status, body);
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").replace("/v2026", "");
    if (request.method === "GET") {
      if (path === "/dns/zones")
        return reply(response, 200, {
          data: [{ id: "z1", name: zoneName, ttl: 3600 }],
          meta: { page: 1, per_page: 100, total: 1 },
        });
      const [, name, type] = /^\/zones\/[^/]+\/sets\/([^/]+)\/([^/]+)$/u.exec(path) ?? [];
      if (name !== undefined) {
        const set = vendor.sets.find((each) => each.name === name && each.type === type);
        return set ? reply(response, 200, { set }) : reply(response, 404, { error: { message: "no such set" } });
      }
      if (!path.endsWith("/sets")) return reply(response, 404, { error: { message: "no such route" } });
      return reply(response, 200, { sets: flavour === "flat" ? vendor.sets.flatMap(flatten) : vendor.sets });
    }
    const body = (request.headers["content-length"] ?? "0") === "0" ? {} : ((await json(request)) as Body);
    vendor.writes.push(`${request.method} ${path} ${JSON.stringify(body)}`);
    const n = vendor.writes.length;
    if (vendor.meddle(n, "before", response) === true) return undefined;
    const problem = change(vendor, flavour, `${request.method} ${path}`, body);
    if (vendor.meddle(n, "after", response) === true) return undefined;
    return problem === undefined
      ? reply(response, 200, { done: true })
      : problem === missing
        ? reply(response, 404, { error: { message: problem } })
        : reply(response, 422, { error: { message: problem } });
  };
  const server = await startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const ca = write("ca.pem", server.ca);
  const contract = write("contract.yaml", setContract(flavour));
  const vendor: SetVendor = {
    flags: ["--base-url", server.baseUrl.href, "--ca-file", ca, "--contract", contract],
    env: { HOSTFORM_API_KEY: "a-key-for-the-vendor-of-sets" },
    folder,
    sets: [],
    writes: [],
    meddle: () => false,
    write,
    close: async () => {
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
  return vendor;
}

const flatten = ({ records, ...set }: VendorSet) => records.map((record) => ({ ...set, ...record }));

const allowed: Readonly<Record<string, readonly string[]>> = {
  set: ["name", "type", "ttl", "label", "records"],
  member: ["value", "note", "weight"],
  flat: ["name", "type", "ttl", "label", "value", "note", "weight"],
};

function strange(of: string, body: unknown): string | undefined {
  const extra = Object.keys(body ?? {}).find((key) => allowed[of]?.includes(key) !== true);
  return extra === undefined ? undefined : `${of} takes no ${extra}`;
}

const strangeSet = (set: VendorSet) =>
  strange("set", set) ?? set.records.map((each) => strange("member", each)).find((each) => each !== undefined);

const missing = "no such set";

/** Does what was asked; the reason if that is refused. */
function change(vendor: SetVendor, flavour: Flavour, asked: string, body: Body): string | undefined {
  const path = `/zones/${zoneName}/sets`;
  const isOf = (name: unknown, type: unknown) => (each: VendorSet) => each.name === name && each.type === type;
  const put = (set: VendorSet) => {
    const problem = strangeSet(set) ?? (set.records.length === 0 ? "a set is not empty" : undefined);
    if (problem !== undefined) return problem;
    const others = vendor.sets.filter((each) => !isOf(set.name, set.type)(each));
    const clash = others.find(({ name, type }) => name === set.name && (type === "CNAME" || set.type === "CNAME"));
    if (clash) return `a ${clash.type} is there`;
    const index = vendor.sets.findIndex(isOf(set.name, set.type));
    vendor.sets = index === -1 ? [...vendor.sets, set] : vendor.sets.map((each, at) => (at === index ? set : each));
    return undefined;
  };
  if (flavour === "rrset") {
    if (asked === `POST ${path}`)
      return vendor.sets.some(isOf(body["name"], body["type"])) ? "it exists" : put(body as unknown as VendorSet);
    const [, method, name, type, part] =
      /^(\w+) \/zones\/[^/]+\/sets\/([^/]+)\/([^/]+?)(?:\/(\w+))?$/u.exec(asked) ?? [];
    const set = vendor.sets.find(isOf(name, type));
    if (!set) return missing;
    if (method === "DELETE") {
      vendor.sets = vendor.sets.filter((each) => each !== set);
      return Object.keys(body).length === 0 ? undefined : "no body is taken";
    }
    if (Object.keys(body).some((key) => key !== part)) return `only ${part} is taken`;
    return put({ ...set, ...body });
  }
  if (flavour === "filters") {
    if (asked === `PUT ${path}` && body["overwrite"] === true) return (body["zone"] as VendorSet[]).map(put)[0];
    const [{ name, type, ...rest } = {} as Body] = body["filters"] as Body[];
    if (Object.keys(rest).length > 0) return "filters are name and type";
    vendor.sets = vendor.sets.filter((each) => !isOf(name, type)(each));
    return undefined;
  }
  if (flavour === "bulk") {
    const [patch] = body as unknown as VendorSet[];
    if (!patch || !Array.isArray(body)) return "a list of sets is taken";
    const old = vendor.sets.find(isOf(patch.name, patch.type));
    if (patch.records.length > 0) return put({ ...old, ...patch });
    vendor.sets = vendor.sets.filter((each) => each !== old);
    return undefined;
  }
  const listed = body["sets"] as Record<string, unknown>[];
  const problem = listed
    .map((each) => (flavour === "flat" ? strange("flat", each) : strangeSet(each as unknown as VendorSet)))
    .find((each) => each !== undefined);
  if (problem !== undefined) return problem;
  vendor.sets = flavour === "flat" ? gather(listed) : (listed as unknown as VendorSet[]);
  return undefined;
}

/** Makes sets of records side by side: what they share is the set's. */
function gather(records: readonly Record<string, unknown>[]): VendorSet[] {
  const sets = new Map<string, VendorSet>();
  for (const { value, note, weight, ...set } of records) {
    const member = { value, ...(note !== undefined && { note }), ...(weight !== undefined && { weight }) } as Member;
    const key = `${String(set["name"])} ${String(set["type"])}`;
    const there = sets.get(key) ?? ({ ...set, records: [] } as unknown as VendorSet);
    sets.set(key, { ...there, ...set, records: [...there.records, member] });
  }
  return [...sets.values()];
}
