import type { HttpCall, Param } from "../../src/model/http-call.ts";
import type { Step } from "../../src/model/plan.ts";

/** A second reading of what a name server does: plain lists of records, looked through anew at each question. Shares nothing with `src/plan`. */
export interface ModelRecord {
  readonly zone: string;
  /** In full, without a dot at the end. */
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly disabled: boolean;
}

export interface Model {
  /** Names of zones by their ids. */
  readonly zones: ReadonlyMap<string, string>;
  /** The names of all zones that are in the account at some time. */
  readonly known: ReadonlySet<string>;
  readonly records: ReadonlyMap<string, ModelRecord>;
}

/** The server of every zone of the account. */
export const ourServer = "ns1.host.test.";

/** The account after one call; a text where the service would refuse it. */
export function applyCall(model: Model, { address }: Step, call: HttpCall): Model | string {
  const [kind, zone = ""] = address.split("/");
  if (kind === "dns_zone") return applyToZone(model, zone, call);
  if (kind !== "dns_record") return model;
  if (![...model.zones.values()].includes(zone)) return `${zone} is not there`;
  const records = new Map(model.records);
  const id = call.operation === "create" ? JSON.stringify(call.values) + address : text(call.params["id"]);
  if (call.operation === "delete") records.delete(id);
  else if (call.operation !== "renew") {
    const [name = "", type = ""] = address.split("/").slice(2);
    const sent = Object.fromEntries(call.values.flatMap((each) => ("value" in each ? [[each.field, each.value]] : [])));
    records.set(id, {
      zone,
      name: name === "@" ? zone : `${name}.${zone}`,
      type,
      content: typeof sent["content"] === "string" ? sent["content"] : (records.get(id)?.content ?? ""),
      disabled: (sent["disabled"] ?? records.get(id)?.disabled) === true,
    });
  }
  return firstConflict([...records.values()]) ?? { ...model, records };
}

const text = (param: Param | undefined) => (typeof param === "string" ? param : JSON.stringify(param));

function applyToZone(model: Model, name: string, { operation }: HttpCall): Model | string {
  const zones = new Map(model.zones);
  if (operation === "create") zones.set(name, name);
  if (operation === "delete") {
    if ([...model.records.values()].some(({ zone }) => zone === name)) return `${name} still has records`;
    for (const [id, other] of zones) if (other === name) zones.delete(id);
  }
  return { ...model, zones };
}

function firstConflict(records: readonly ModelRecord[]): string | undefined {
  const rivals = (a: ModelRecord, b: ModelRecord) =>
    (a.type === b.type && a.content === b.content) ||
    a.type === "CNAME" ||
    (a.type === "DNAME" && b.type === "DNAME") ||
    (a.type === "ALIAS" && (b.type === "A" || b.type === "AAAA"));
  for (const a of records)
    for (const b of records)
      if (a !== b && a.zone === b.zone && a.name === b.name && rivals(a, b))
        return `${a.type} and ${b.type} at ${a.name}`;
  return undefined;
}

/**
 * What can be asked of a name: a DNS type, or an address of either family. `hosts`: whether a record that names a host answers only while
 * that host has an address, or by being there.
 */
export interface Question {
  readonly name: string;
  readonly type: string;
  readonly hosts: boolean;
}

/** Whether a name answers, and each `NAME TYPE` that was looked at for it, the asked one first. */
export function ask(model: Model, { name, type, hosts }: Question): { answered: boolean; passed: ReadonlySet<string> } {
  const visit: Visit = { model, hosts, passed: new Set(), open: new Set() };
  return { answered: answers(visit, name, type), passed: visit.passed };
}

/** Whether the host that a record names has an address, and each `NAME TYPE` that was looked at for it. A record that names none has it. */
export function reach(model: Model, record: ModelRecord): { answered: boolean; passed: ReadonlySet<string> } {
  const visit: Visit = { model, hosts: true, passed: new Set(), open: new Set() };
  const enabled = [...model.records.values()].filter(({ disabled }) => !disabled);
  if (record.type === "DS") {
    const servers = enabled.filter(
      ({ zone, name, type }) => zone === record.zone && name === record.name && type === "NS",
    );
    return { answered: servers.length > 0, passed: new Set([`${record.name} DS`]) };
  }
  if (record.type === "DNAME") return { answered: isTargetThere(visit, enabled, record), passed: visit.passed };
  const isDelegation = record.type === "NS" && record.name !== record.zone;
  const answered = isDelegation ? isServerFound(visit, enabled, record) : isHostFound(visit, record);
  return { answered, passed: visit.passed };
}

/** A DNAME is of use while any name below its target has an address; what is outside of the account has. */
function isTargetThere(visit: Visit, enabled: readonly ModelRecord[], record: ModelRecord): boolean {
  const target = hostOf(record) ?? "";
  if (![...visit.model.known].some((zone) => isBelow(target, zone))) return true;
  const below = new Set(enabled.map(({ name }) => name).filter((name) => name !== target && isBelow(name, target)));
  return [...below].filter((name) => answers(visit, name, "address")).length > 0;
}

interface Visit {
  readonly model: Model;
  readonly hosts: boolean;
  readonly passed: Set<string>;
  /** What is being found out further up: a circle has no answer. */
  readonly open: Set<string>;
}

const isBelow = (below: string, above: string) => below === above || below.endsWith(`.${above}`);

function answers(visit: Visit, name: string, type: string): boolean {
  if (type === "address") return answers(visit, name, "A") || answers(visit, name, "AAAA");
  const question = `${name} ${type}`;
  if (visit.open.has(question)) return false;
  visit.passed.add(question);
  visit.open.add(question);
  const answered = answersFromAbove(visit, name, type);
  visit.open.delete(question);
  return answered;
}

function answersFromAbove(visit: Visit, name: string, type: string): boolean {
  const { model } = visit;
  const enabled = [...model.records.values()].filter(({ disabled }) => !disabled);
  const known = [...model.known].filter((zone) => isBelow(name, zone)).sort((a, b) => a.length - b.length);
  if (known.length === 0) return true;
  let asked = 0;
  for (;;) {
    const zone = known[asked];
    if (zone === undefined) return false;
    const inZone = enabled.filter((record) => record.zone === zone);
    const [cut] = inZone
      .filter((record) => record.type === "NS" && record.name !== zone && isBelow(name, record.name))
      // The zone above answers for the DS at a cut.
      .filter((record) => type !== "DS" || record.name !== name)
      .map((record) => record.name)
      .sort((a, b) => a.length - b.length);
    if (cut === undefined) {
      if (answersInZone(visit, inZone, zone, name, type)) return true;
      asked += 1;
    } else {
      const servers = inZone.filter((record) => record.name === cut && record.type === "NS");
      visit.passed.add(`${cut} NS`);
      if (visit.hosts && !servers.some((record) => isServerFound(visit, enabled, record))) return false;
      if (type === "NS" && cut === name) return true;
      asked = known.indexOf(cut);
      if (asked < 0 || !servers.some(({ content }) => content === ourServer)) return true;
    }
  }
}

/** A name server below what it serves needs glue beside the delegation, or a record in the zone that is delegated. */
function isServerFound(visit: Visit, enabled: readonly ModelRecord[], { zone, name: cut, content }: ModelRecord) {
  const server = content.slice(0, -1);
  if (!isBelow(server, cut)) return answers(visit, server, "address");
  const glue = enabled.filter(
    (record) => record.zone === zone && record.name === server && (record.type === "A" || record.type === "AAAA"),
  );
  for (const { type } of glue) visit.passed.add(`${server} ${type}`);
  const inChild = enabled.filter((record) => record.zone === cut);
  return (
    glue.length > 0 ||
    (visit.model.known.has(cut) &&
      ["A", "AAAA"].some((type) => {
        const question = `${server} ${type}`;
        if (visit.open.has(question)) return false;
        visit.passed.add(question);
        visit.open.add(question);
        const answered = answersInZone(visit, inChild, cut, server, type);
        visit.open.delete(question);
        return answered;
      }))
  );
}

function answersInZone(
  visit: Visit,
  records: readonly ModelRecord[],
  zone: string,
  name: string,
  type: string,
): boolean {
  const redirection = records.find((record) => record.type === "DNAME" && name.endsWith(`.${record.name}`));
  if (redirection) {
    const target = `${name.slice(0, -redirection.name.length)}${hostOf(redirection)}`;
    visit.passed.add(`${redirection.name} DNAME`);
    return answers(visit, target, type);
  }
  const labels = name.split(".");
  const owners = [name];
  for (let cut = 1; !records.some((record) => record.name === owners.at(-1)) && owners.at(-1) !== zone; cut += 1) {
    const above = labels.slice(cut).join(".");
    if (above.length < zone.length) return false;
    owners.push(`*.${above}`);
    if (records.some((record) => record.name === `*.${above}`)) break;
    if (records.some((record) => record.name === above)) return false;
  }
  const here = records.filter((record) => record.name === owners.at(-1));
  if (here.length > 0) visit.passed.add(`${owners.at(-1)} ${type}`);
  const follow = (record: ModelRecord) => answers(visit, hostOf(record) ?? "", type);
  const canonical = here.find((record) => record.type === "CNAME");
  if (canonical) return follow(canonical);
  const own = here.filter((record) => record.type === type);
  if (own.some((record) => !visit.hosts || isHostFound(visit, record))) return true;
  const alias = here.find((record) => record.type === "ALIAS");
  return alias !== undefined && (type === "A" || type === "AAAA") && follow(alias);
}

function isHostFound(visit: Visit, record: ModelRecord): boolean {
  const host = hostOf(record);
  return host === undefined || answers(visit, host, "address");
}

/** The host that a record names: read by hand, so that another reading of the same can be wrong by itself. */
export function hostOf({ type, content }: ModelRecord): string | undefined {
  const words = content.split(" ");
  const word = { CNAME: 0, DNAME: 0, ALIAS: 0, NS: 0, MX: 0, SRV: 2, HTTPS: 1, SVCB: 1 }[type];
  const host = word === undefined ? undefined : words[word];
  return host === undefined || host === "." ? undefined : host.slice(0, -1);
}
