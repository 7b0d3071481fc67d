import { isDeepStrictEqual } from "node:util";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Address } from "../../model/address.ts";
import { jsonText } from "../../model/json.ts";
import type { Step } from "../../model/plan.ts";
import type { Fields } from "../../model/resource.ts";
import type { PlanInput } from "../context.ts";
import type { Fact } from "./facts.ts";

/** The contents of a set of records that are given out: none where nothing is there, or all of it is disabled. */
export type RecordSet = Fact<readonly string[]>;

/** A zone as its servers know it: sets of records by the full name of their owner and their type. */
export interface Zone {
  readonly names: Map<string, Map<string, RecordSet>>;
  signed: Fact<boolean> | undefined;
}

/** Zones by name. */
export type Zones = ReadonlyMap<string, Zone>;

/** The account's zones before and after these steps, as far as they were read or are declared. */
export function readZones({ live, desired }: PlanInput, steps: readonly Step[]): Zones {
  const zones = new Map<string, Zone>();
  const stepOf = new Map(steps.map((step) => [step.address, step]));
  for (const address of new Set<Address>([...live.resources.keys(), ...stepOf.keys()])) {
    const resource = live.resources.get(address) ?? desired.resources.get(address);
    if (!resource) continue;
    const kind = kindNamed(resource.kind);
    const remotes = (live.resources.get(address)?.remotes ?? []).map(({ fields }) => fields);
    const step = stepOf.get(address);
    const members = desired.resources.get(address)?.members?.map(({ fields }) => fields) ?? [];
    if (kind.answers) {
      const { zone, name, type } = kind.answers.at(resource.key);
      setsAt(zoneNamed(zones, zone), name).set(type, recordSet(kind, type, remotes, members, step));
    } else if (kind.signs) {
      const signed = kind.signs;
      const before = remotes.some(signed);
      const wanted = desired.resources.get(address)?.fields ?? {};
      const after = step === undefined ? before : step.action !== "delete" && signed({ ...remotes[0], ...wanted });
      zoneNamed(zones, resource.key["zone"] ?? "").signed = { before, after, step: step?.id };
    }
  }
  return zones;
}

function zoneNamed(zones: Map<string, Zone>, name: string): Zone {
  const known = zones.get(name) ?? { names: new Map<string, Map<string, RecordSet>>(), signed: undefined };
  zones.set(name, known);
  return known;
}

function setsAt({ names }: Zone, name: string): Map<string, RecordSet> {
  const known = names.get(name) ?? new Map<string, RecordSet>();
  names.set(name, known);
  return known;
}

function recordSet(
  kind: Kind,
  type: string,
  remotes: readonly Fields[],
  members: readonly Fields[],
  step: Step | undefined,
): RecordSet {
  const before = contents(kind, remotes);
  if (!step) return { before, after: before, step: undefined };
  const kept = remotes.filter((fields) => kind.platformOwned?.(fields) === true);
  const after = contents(kind, step.action === "delete" ? kept : [...kept, ...members]);
  const sameAnswer = pointing.has(type)
    ? isDeepStrictEqual(before.toSorted(), after.toSorted())
    : (before.length === 0) === (after.length === 0);
  return {
    before,
    after,
    step: sameAnswer ? undefined : step.id,
    ...(isTakenAwayFirst(step) && { during: [] }),
  };
}

/** Types whose content decides what is answered; of others it is enough that they are there. */
const pointing: ReadonlySet<string> = new Set(["CNAME", "ALIAS", "NS"]);

const contents = (kind: Kind, members: readonly Fields[]) =>
  members
    .filter((fields) => kind.answers?.counts(fields) === true)
    .map((fields) => jsonText(fields[kind.members?.identity ?? ""] ?? ""));

const isTakenAwayFirst = ({ calls }: Step) =>
  calls[0]?.operation === "delete" && calls.some(({ operation }) => operation === "create");
