import { readRequest } from "../contract/binding.ts";
import type { BoundAddress, BoundKind } from "../contract/bound-kind.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { fillRequest, type IdNow } from "../api/fill-request.ts";
import type { Kind } from "../kinds/kind.ts";
import type { ApiRules } from "../model/contract.ts";
import type { CallRequest, HttpCall } from "../model/http-call.ts";
import type { RemoteId } from "../model/resource.ts";
import { knownIdOf, remoteIdOf, type RunContext, bindingOf } from "./run-context.ts";

/** A request whose parameters are filled in, with the rules for its answer. */
export interface FilledRequest extends ReturnType<typeof fillRequest> {
  readonly rules: ApiRules;
}

interface FilledRead extends FilledRequest {
  readonly id: string | undefined;
}

/** The request of a call to an object of a kind, with the ids that objects have now: a server may give another one at an update. */
export function fillCall(
  context: RunContext,
  own: BoundKind,
  call: CallRequest & { readonly operation?: HttpCall["operation"] },
): FilledRequest {
  const { contract, moved } = context;
  const rules = rulesOf(contract, own.name, call.operation ?? "read");
  const idOf: IdNow = (parent, at) => remoteIdOf(context, parent, at);
  // Hardly any server changes ids.
  if (moved.size === 0) return { ...fillRequest(call, idOf), rules };
  const kindBehind = (name: string) => {
    if (name === "id") return own.name;
    const source = own.entry.params?.[name];
    return source && "id_of" in source && source.at === undefined ? source.id_of : undefined;
  };
  const params = Object.entries(call.params).map(([name, param]) => {
    const kind = kindBehind(name);
    return [name, typeof param === "string" && kind !== undefined ? idNow(context, kind, param) : param] as const;
  });
  return { ...fillRequest({ ...call, params: Object.fromEntries(params) }, idOf), rules };
}

/** Returns the request that reads the object at an address, and the id that it has now; undefined if the API cannot read one object alone. */
export function fillRead(context: RunContext, { address, kind, key }: BoundAddress): FilledRead | undefined {
  const binding = bindingOf(context);
  // An object that came along with its parent has an id only if the contract names one.
  const request = readRequest(binding, kind, key, knownIdOf(context, address) ?? { idOf: address });
  const rules = rulesOf(context.contract, kind.name, "read");
  return request && { ...fillRequest(request, binding.idOf), rules, id: idIn(context, kind, request) };
}

/** The id that a request is for, where it is for one object by its id. */
export function idIn(context: RunContext, { name }: Kind, { params }: CallRequest): string | undefined {
  const { id } = params;
  if (id === undefined) return undefined;
  return typeof id === "string" ? idNow(context, name, id) : remoteIdOf(context, id.idOf);
}

/** The id that an object of a kind has now, by the one that the plan knows it under. */
export function idNow({ moved }: Pick<RunContext, "moved">, kind: string, id: string): string {
  return moved.get(`${kind}/${id}`) ?? id;
}

/** Keeps the id that an update has answered with, where it is another than the plan's. */
export function keepMovedId({ moved }: RunContext, { name }: Kind, call: CallRequest, id: RemoteId): void {
  const { id: planned } = call.params;
  if (typeof planned === "string" && planned !== id) moved.set(`${name}/${planned}`, id);
}
