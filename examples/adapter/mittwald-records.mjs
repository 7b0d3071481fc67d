// DNS records of mittwald as sets of one name and type. The vendor has an object for each name, in which A and AAAA are one: see README.md.
import { answerWith } from "./server.mjs";
import { asList, fail, makeQueue } from "./vendor.mjs";

/** The part of a name's object that holds a type, its name in paths, the list in it, and the key of a member that the list has as a text. */
const places = {
  A: { at: "combinedARecords", path: "a", list: "a", text: "address" },
  AAAA: { at: "combinedARecords", path: "a", list: "aaaa", text: "address" },
  CAA: { at: "caa", path: "caa", list: "records" },
  CNAME: { at: "cname", path: "cname", list: "fqdn", text: "target" },
  MX: { at: "mx", path: "mx", list: "records" },
  SRV: { at: "srv", path: "srv", list: "records" },
  TXT: { at: "txt", path: "txt", list: "entries", text: "text" },
};

const isBelow = ({ domain }, above) => domain.endsWith(`.${above.domain}`);

/** Returns the zones of a project. A zone below another is a name in it; the vendor calls both zones. */
async function readZones(ask, project) {
  const all = await ask("GET", `/v2/projects/${project}/dns-zones`);
  const tops = all.filter((zone) => !all.some((above) => isBelow(zone, above)));
  return tops.map(({ id, domain }) => {
    const own = all.filter((zone) => zone.id === id || isBelow(zone, { domain }));
    const names = own.map((zone) => ({
      ...zone,
      name: zone.id === id ? "@" : zone.domain.slice(0, -domain.length - 1),
    }));
    return { id, domain, names };
  });
}

const ttlOf = ({ settings }) => settings?.ttl?.seconds;

/** Returns the members of a set: the vendor's own objects, or its texts below a key. */
function membersOf(recordSet, { at, list, text }) {
  const members = recordSet[at]?.[list] ?? [];
  return text ? [members].flat().map((member) => ({ [text]: member })) : members;
}

const setsOf = ({ name, recordSet }) =>
  Object.entries(places).flatMap(([type, place]) => {
    const records = membersOf(recordSet, place);
    return records.length > 0 ? [{ name, type, ttl: ttlOf(recordSet[place.at]), records }] : [];
  });

/** Writes a set; an empty one goes. The vendor takes the other half of A and AAAA with it: it is sent as it was read just before. */
async function writeSet(ask, zone, { name, type, ttl, records }) {
  const place = places[type] ?? fail(422, "validation_failed", `the vendor has no ${type} records`);
  const { at, path, list, text } = place;
  const found = zone.names.find((each) => each.name === name);
  if (!found && records.length === 0) fail(404, "not_found", `there is no ${name}`);
  const { managed, managedBy, ...now } = found?.recordSet[at] ?? {};
  if (managed || managedBy)
    fail(409, "conflict", `the platform manages the ${type} records of ${name}: take them over in its panel first`);
  const other = { A: "aaaa", AAAA: "a" }[type];
  const isShared = now[other]?.length > 0;
  if (isShared && !now[list]?.length && ttlOf(now) !== ttl)
    fail(422, "validation_failed", `A and AAAA of ${name} have one TTL at this vendor: ${ttlOf(now) ?? "automatic"}`);
  const members = text ? records.map((record) => record[text]) : records;
  const settings = records.length > 0 ? { ttl: ttl === undefined ? { auto: true } : { seconds: ttl } } : now.settings;
  const content = {
    [list]: type === "CNAME" ? members[0] : members,
    ...(other && { [other]: now[other] ?? [] }),
    settings,
  };
  const id = found?.id ?? (await ask("POST", "/v2/dns-zones", { name, parentZoneId: zone.id })).id;
  await ask("PUT", `/v2/dns-zones/${id}/record-sets/${path}`, records.length > 0 || isShared ? content : {});
  return answerWith(204);
}

/** Deletes a zone with the names in it, the longest names first. */
async function deleteZone(ask, { names }) {
  const longestFirst = names.toSorted((a, b) => b.domain.length - a.domain.length);
  for (const { id } of longestFirst) await ask("DELETE", `/v2/dns-zones/${id}`);
  return answerWith(204);
}

/** Returns what answers the paths below /v2/adapter/PROJECT/dns-zones, one request after the other; undefined for other paths. */
export function serveRecords(ask) {
  const inTurn = makeQueue();
  return ({ method, path, body }) => {
    const [, project, id, rest = "", name, type] =
      /^\/v2\/adapter\/([^/]+)\/dns-zones(?:\/([^/]+)(\/record-sets(?:\/([^/]+)\/([^/]+))?)?)?$/u.exec(path) ?? [];
    if (project === undefined) return undefined;
    return inTurn(async () => {
      const zones = await readZones(ask, project);
      if (method === "GET" && id === undefined)
        return asList(zones.map(({ id, domain }) => ({ id, domain, projectId: project })));
      const zone = zones.find((each) => each.id === id) ?? fail(404, "not_found", "there is no such zone");
      const set = { name: decodeURIComponent(name ?? ""), type, records: [] };
      if (method === "GET" && rest === "/record-sets") return asList(zone.names.flatMap(setsOf));
      if (method === "DELETE" && rest === "") return deleteZone(ask, zone);
      if (method === "DELETE" && type) return writeSet(ask, zone, set);
      if (method === "PUT" && type) return writeSet(ask, zone, { ...JSON.parse(String(body)), name: set.name, type });
      return fail(405, "method_not_allowed", `${method} is not offered here`);
    });
  };
}
