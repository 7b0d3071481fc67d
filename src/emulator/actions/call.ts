import type { Operation } from "../document/router.ts";
import type { Validators } from "../document/validators.ts";
import type { Fields } from "../fields.ts";
import type { Answer } from "../http/answer.ts";
import type { Context } from "../kinds/kind.ts";
import type { Spelling } from "../spelling/words.ts";
import type { KindName } from "../kinds/kind-name.ts";
import { notFound } from "../refusal.ts";
import type { StoredObject } from "../store/objects.ts";

/** A request that has passed the door: authenticated, allowed, its query valid and its body a JSON object. */
export interface Call {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Fields;
  readonly body: Fields;
  readonly context: Context;
  readonly validators: Validators;
  readonly perPageMax: number;
  /** The spellings of the answer; empty: as it is stored. */
  readonly spelling: ReadonlySet<Spelling>;
  readonly header: (name: string) => string | undefined;
}

/** Answers one operation, inside a transaction when it writes. */
export type Action = (call: Call) => Answer;

export interface ActionTarget {
  readonly kind: KindName;
  /** The parent that a list or a new object is under, or undefined. Throws 404 when the path names one that is not there. */
  readonly scope: (call: Call) => string | undefined;
  /** The one object of a path. Throws 404. */
  readonly find: (call: Call) => StoredObject;
}

export const labelOf = (name: KindName): string => name.replaceAll("_", " ");

function found(object: StoredObject | undefined, name: KindName, id: string): StoredObject {
  if (object === undefined) throw notFound(`${labelOf(name)} "${id}"`);
  return object;
}

const pathParam = (call: Call, name: string): string => call.params[name] ?? "";

/** A kind with identifiers of its own; `filter` is the query parameter that narrows its lists. */
export function globalTarget(name: KindName, filter?: string, idParam = "id"): ActionTarget {
  return {
    kind: name,
    scope: ({ query }) => {
      const value = filter === undefined ? undefined : query[filter];
      return typeof value === "string" ? value.toLowerCase() : undefined;
    },
    find: (call) => found(call.context.objects.byId(name, pathParam(call, idParam)), name, pathParam(call, idParam)),
  };
}

function zoneOf(call: Call): string {
  const id = pathParam(call, "zone_id");
  return found(call.context.objects.byId("dns_zone", id), "dns_zone", id).id;
}

export const dnsRecordTarget: ActionTarget = {
  kind: "dns_record",
  scope: zoneOf,
  find(call) {
    const [zone, id] = [zoneOf(call), pathParam(call, "id")];
    const record = call.context.objects.byId("dns_record", id);
    return found(record?.scope === zone ? record : undefined, "dns_record", id);
  },
};

export const dnssecTarget: ActionTarget = {
  kind: "dnssec",
  scope: zoneOf,
  find: (call) => found(call.context.objects.byKey(`dnssec ${zoneOf(call)}`), "dnssec", pathParam(call, "zone_id")),
};

export const mailSettingsTarget: ActionTarget = {
  kind: "mail_settings",
  scope: () => undefined,
  find(call) {
    const domain = pathParam(call, "domain").toLowerCase();
    return found(call.context.objects.byKey(`mail_settings ${domain}`), "mail_settings", domain);
  },
};
