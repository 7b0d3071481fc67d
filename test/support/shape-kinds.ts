import type { FieldContract, KindContract, OperationContract } from "../../src/model/contract.ts";
import { builtIn } from "./built-in-contract.ts";

type Fields = Record<string, FieldContract>;

type Kind = { -readonly [Key in keyof KindContract]: KindContract[Key] };

type Operations = KindContract["operations"];

const kindNames = Object.keys(builtIn.kinds);

const namesOf = (kind: string) => Object.keys(builtIn.kinds[kind]?.fields ?? {});

/** The parameters that select one list of a kind. */
const paramsOf = (kind: string) => builtIn.kinds[kind]?.params ?? {};

/** The query that selects one list, with a name for each parameter; undefined for a list of the whole account. */
function queryOf(kind: string, nameOf: (param: string) => string): Record<string, string> | undefined {
  const params = Object.keys(paramsOf(kind));
  return params.length === 0 ? undefined : Object.fromEntries(params.map((param) => [nameOf(param), `{${param}}`]));
}

const isMail = (kind: string) => kind === "mailbox" || kind === "mail_alias";

/** Fields that a creation does not take, or that it takes elsewhere. */
const notAtCreation = (kind: string, name: string) =>
  kind === "service" && name.startsWith("settings.") ? { create: false } : {};

const idOf = (name: string) => (name === "service" ? { id_of: "service" } : {});

/** Every field of a kind, at the place that a function gives it. */
const fieldsAt = (kind: string, place: (name: string) => string, more: Readonly<Record<string, object>> = {}): Fields =>
  Object.fromEntries(
    namesOf(kind).map((name) => [
      name,
      { at: place(name), ...idOf(name), ...notAtCreation(kind, name), ...more[name] },
    ]),
  );

const crud = (list: string, item: string, method: "PUT" | "PATCH", query?: Record<string, string>): Operations => ({
  list: { method: "GET", path: list, ...(query && { query }) },
  read: { method: "GET", path: item },
  create: { method: "POST", path: list },
  update: { method, path: item },
  delete: { method: "DELETE", path: item },
});

const readOnly = ({ list, read, create }: Operations): Operations => ({
  list,
  ...(read && { read }),
  ...(create !== undefined && { create }),
});

const zoneParam = { zone_id: { id_of: "dns_zone", key: { name: "zone" } } } as const;

const renewal: OperationContract = { method: "POST", path: "/domains/{id}/renew", base: { period_years: 1 } };

const types = builtIn.kinds["dns_record"]?.fields["type"]?.values ?? [];

/** Single objects: no id, and no list. */
function single(kind: string, path: string, place: (name: string) => string, method: "PUT" | "PATCH"): Kind {
  const { list, read, update, delete: remove } = crud(path, path, method);
  const isZone = kind === "dnssec";
  return {
    params: isZone ? zoneParam : { domain: { key: "domain" } },
    fields: fieldsAt(kind, place),
    operations: {
      list: { ...list, single: true },
      ...(read && { read }),
      ...(update && { update }),
      ...(isZone
        ? { create: { method: "POST", path }, ...(remove && { delete: remove }) }
        : { create: "implicit" as const }),
    },
  };
}

/** Returns the kinds that a function makes, by name, with the prefixes of names that the built-in contract knows. */
export const allKinds = (make: (kind: string) => Kind): Record<string, Kind> =>
  Object.fromEntries(
    kindNames.map((kind) => {
      const prefix = builtIn.kinds[kind]?.name_prefix;
      return [kind, { ...make(kind), ...(prefix !== undefined && { name_prefix: prefix }) }];
    }),
  );

/** A kind at flat places, changed by PATCH. */
export function bareKind(kind: string): Kind {
  const place = (name: string) => `/${name.replaceAll(".", "_")}`;
  if (kind === "dnssec") return single(kind, "/zones/{zone_id}/dnssec", place, "PATCH");
  if (kind === "mail_settings") return single(kind, "/mail/{domain}/settings", place, "PATCH");
  const path = `/${kind.replaceAll("_", "-")}s`;
  const query = queryOf(kind, (param) => param.replace("_id", ""));
  const operations = crud(path, `${path}/{id}`, "PATCH", query);
  const own: Kind = { id: "/id", ...(query && { params: paramsOf(kind) }), fields: fieldsAt(kind, place), operations };
  if (kind === "domain") return { ...own, operations: { ...operations, renew: { ...renewal } } };
  if (kind === "certificate") return { ...own, operations: readOnly(operations) };
  if (kind !== "dns_record") return own;
  return {
    ...own,
    fields: fieldsAt(kind, place, {
      name: { as: ["whole_name"] },
      type: { values: types },
      content: { as: ["plain_text"] },
    }),
    operations: { ...operations, create: { method: "POST", path, body: { "/zone": "{zone_id}" } } },
  };
}

/** A kind at nested places; records are sets, and fields have requests of their own. */
export function setsKind(kind: string): Kind {
  const place = (name: string) => `/${name.replaceAll(".", "/")}`;
  const fields = fieldsAt(kind, place);
  const after: OperationContract = { method: "POST", path: "/services/{service_id}/reload" };
  if (kind === "dnssec") return single(kind, "/zones/{zone_id}/dnssec", place, "PUT");
  if (kind === "mail_settings") return single(kind, "/domains/{domain}/mail", place, "PUT");
  if (kind === "dns_record") return recordSets();
  if (isMail(kind)) {
    const path = `/domains/{domain}/${kind === "mailbox" ? "mailboxes" : "aliases"}`;
    const own: Kind = {
      id: "/id",
      params: { domain: { key: "domain" }, local: { key: "local" } },
      fields: { ...fields, address: { at: "/name", as: ["local_part"] } },
      operations: crud(path, `${path}/{local}`, "PUT"),
    };
    return kind === "mail_alias" ? own : { ...own, update_of: mailboxRequests(path) };
  }
  const [param] = Object.keys(paramsOf(kind));
  if (param !== undefined) {
    const path = `/${param.replace("_id", "")}s/{${param}}/${kind}s`;
    const own: Kind = { id: "/id", params: paramsOf(kind), fields, operations: crud(path, `${path}/{id}`, "PUT") };
    const on = { method: "POST", path: `${path}/{id}/start` } as const;
    const off = { method: "POST", path: `${path}/{id}/stop` } as const;
    return kind === "cron" ? { ...own, update_of: { enabled: { on, off } }, after } : own;
  }
  const operations = crud(`/${kind}s`, `/${kind}s/{id}`, "PUT");
  if (kind === "domain") return { id: "/id", fields, operations: { ...operations, renew: { ...renewal } } };
  return { id: "/id", fields, operations: kind === "certificate" ? readOnly(operations) : operations };
}

const mailboxRequests = (path: string): NonNullable<Kind["update_of"]> => ({
  password: { method: "PUT", path: `${path}/{local}/password` },
  quota_mb: { method: "PATCH", path: `${path}/{local}/quota`, send: { quota_mb: "/limit" } },
});

function recordSets(): Kind {
  const path = "/zones/{zone}/rrsets";
  const one = `${path}/{name}/{type}`;
  return {
    params: { zone: { key: "zone" }, name: { field: "name" }, type: { key: "type" } },
    fields: {
      name: { at: "/name", as: ["relative_name"] },
      type: { at: "/type", values: types },
      ttl: { at: "/ttl" },
      content: { at: "/records/value", as: ["priority_inside"] },
      comment: { at: "/records/comment" },
      disabled: { at: "/records/off" },
      managed: { at: "/records/system" },
    },
    operations: {
      list: { method: "GET", path, explode: "/records" },
      set: {
        create: { method: "POST", path },
        update: [
          { method: "POST", path: `${one}/members`, send: ["content", "comment", "disabled"] },
          { method: "POST", path: `${one}/ttl`, send: ["ttl"] },
        ],
        delete: { method: "DELETE", path: one },
        read: { method: "GET", path: one },
      },
    },
    after: { method: "POST", path: "/zones/{zone}/publish" },
  };
}

const camel = (name: string) => name.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());

const texts: Readonly<Record<string, object>> = {
  ttl: { as: ["string"] },
  priority: { as: ["string"] },
  timeout_s: { as: ["string"] },
  auto_renew: { as: ["string"] },
  quota_mb: { as: ["bytes", "string"], sentinel: "-1" },
  usage_mb: { as: ["bytes"] },
  enabled: { map: { true: "on", false: "off" } },
  sending_enabled: { map: { true: "active", false: ["locked", "suspended"] } },
  nameservers: { keys: "ns{n}" },
};

/** A kind below `attributes`, in camel case. */
export function nestedKind(kind: string): Kind {
  const place = (name: string) => `/attributes/${name.split(".").map(camel).join("/")}`;
  const more = { ...texts, ...(kind === "dns_record" ? recordSpelling : {}) };
  const path = `/${camel(kind)}s`;
  if (kind === "dnssec") return { ...single(kind, "/dnsZones/{zone_id}/dnssec", place, "PUT"), etag: "/version" };
  if (kind === "mail_settings") return { ...single(kind, "/mailSettings/{domain}", place, "PATCH"), etag: "/version" };
  const query = isMail(kind) ? undefined : queryOf(kind, camel);
  const operations = crud(path, `${path}/{id}`, "PUT", query);
  const selected = query && { params: paramsOf(kind) };
  const own: Kind = { id: "/id", etag: "/version", ...selected, fields: fieldsAt(kind, place, more), operations };
  if (kind === "domain")
    return {
      ...own,
      operations: {
        ...operations,
        list: { ...operations.list, detail: "read" },
        renew: { ...renewal, base: { attributes: { periodYears: 1 } } },
      },
    };
  if (kind === "certificate") return { ...own, operations: readOnly(operations) };
  if (isMail(kind)) return { ...own, operations: { ...operations, list: { ...operations.list, scope: "mixed" } } };
  if (kind === "dns_record")
    return {
      ...own,
      operations: { ...operations, create: { method: "POST", path, body: { "/zone": "{zone_id}" } } },
    };
  const isKeyed = kind === "database";
  const list = {
    ...operations.list,
    ...(isKeyed && { keyed_by: "/attributes/name" }),
    ...(kind === "cron" && { detail: "read" as const }),
  };
  return { ...own, operations: { ...operations, list } };
}

const recordSpelling: Readonly<Record<string, object>> = {
  name: { as: ["relative_name", "empty_apex"] },
  type: { values: types },
  content: {
    as: ["no_final_dot"],
    parts: {
      SRV: {
        priority: "/attributes/srv/priority",
        weight: "/attributes/srv/weight",
        port: "/attributes/srv/port",
        target: "/attributes/srv/target",
      },
      CAA: { flags: "/attributes/caa/flags", tag: "/attributes/caa/tag", value: "/attributes/caa/value" },
    },
  },
};

/** Records that are written as a whole zone. */
export function wholeZones(): Kind {
  const path = "/dns/zones/{zone_id}/all";
  return {
    params: zoneParam,
    paging: { style: "none" },
    fields: fieldsAt("dns_record", (name) => `/${name}`, { type: { values: types } }),
    operations: { list: { method: "GET", path }, zone: { method: "PUT", path, at: "/records" } },
  };
}

/** Sets of records with ids and ETags. */
export function stampedSets(): Kind {
  const path = "/zones/{zone}/rrsets";
  const { after: _after, ...plain } = recordSets();
  return {
    ...plain,
    id: "/id",
    etag: "/version",
    params: { zone: { key: "zone" } },
    operations: {
      list: { method: "GET", path, explode: "/records" },
      set: {
        create: { method: "POST", path },
        update: [{ method: "PUT", path: `${path}/{id}` }],
        delete: { method: "DELETE", path: `${path}/{id}` },
        read: { method: "GET", path: `${path}/{id}` },
      },
    },
  };
}
