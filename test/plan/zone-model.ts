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
    (a.type === "ALIAS" && (b.type === "A" || b.type === "AAAA"));
  for (const a of records)
    for (const b of records)
      if (a !== b && a.zone === b.zone && a.name === b.name && rivals(a, b))
        return `${a.type} and ${b.type} at ${a.name}`;
  return undefined;
}

/** Whether the name answers for the type, and the names that pointers have led to, the asked one first. */
export function ask(model: Model, name: string, type: string): { answered: boolean; passed: ReadonlySet<string> } {
  const passed = new Set([name]);
  return { answered: answers(model, name, type, passed), passed };
}

function answers(model: Model, name: string, type: string, passed: Set<string>): boolean {
  const enabled = [...model.records.values()].filter(({ disabled }) => !disabled);
  const isBelow = (below: string, above: string) => below === above || below.endsWith(`.${above}`);
  const known = [...model.known].filter((zone) => isBelow(name, zone)).sort((a, b) => a.length - b.length);
  if (known.length === 0) return true;
  let asked = 0;
  for (;;) {
    const zone = known[asked];
    if (zone === undefined) return false;
    const inZone = enabled.filter((record) => record.zone === zone);
    const [cut] = inZone
      .filter((record) => record.type === "NS" && record.name !== zone && isBelow(name, record.name))
      .map((record) => record.name)
      .sort((a, b) => a.length - b.length);
    if (cut === undefined) {
      if (answersInZone(model, inZone, zone, name, type, passed)) return true;
      asked += 1;
    } else {
      const isOurs = inZone.some(
        (record) => record.name === cut && record.type === "NS" && record.content === ourServer,
      );
      asked = known.indexOf(cut);
      if (asked < 0 || !isOurs) return true;
    }
  }
}

function answersInZone(
  model: Model,
  records: readonly ModelRecord[],
  zone: string,
  name: string,
  type: string,
  passed: Set<string>,
): boolean {
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
  if (here.length > 0) passed.add(owners.at(-1) ?? "");
  const follow = (record: ModelRecord) => {
    const target = record.content.slice(0, -1);
    if (passed.has(target)) return false;
    passed.add(target);
    return answers(model, target, type, passed);
  };
  const canonical = here.find((record) => record.type === "CNAME");
  if (canonical) return follow(canonical);
  if (here.some((record) => record.type === type)) return true;
  const alias = here.find((record) => record.type === "ALIAS");
  return alias !== undefined && (type === "A" || type === "AAAA") && follow(alias);
}
