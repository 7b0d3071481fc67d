import type { CallRequest, Param } from "../model/http-call.ts";
import type { Address } from "../model/address.ts";
import type { Pointer } from "../model/contract.ts";

/** The id that an object has now, or the text at a pointer of its record. */
export type IdNow = (address: Address, at?: Pointer) => string;

/** A request with its parameters filled in; ids are percent-encoded, so that one with `/../`, `?` or a newline stays a single segment. */
export function fillRequest(
  request: CallRequest,
  idOf: IdNow,
): { method: string; path: string; query: Record<string, string> } {
  const text = (param: Param | undefined) =>
    typeof param === "string" ? param : param === undefined ? "" : idOf(param.idOf, param.at);
  return {
    method: request.method,
    path: request.path.replaceAll(/\{(\w+)\}/gu, (_, name: string) =>
      segment(name, text(request.params[name]), request.path),
    ),
    query: Object.fromEntries(Object.entries(request.query).map(([name, param]) => [name, text(param)])),
  };
}

/** A parameter of a path that has no usable value, such as a part of a record that an answer leaves out. */
export class UnusableParameter extends Error {}

// Dot segments mean another path however they are encoded; such an id is not taken from an answer in the first place.
function segment(name: string, value: string, path: string): string {
  if (/^\.{0,2}$/u.test(value))
    throw new UnusableParameter(`{${name}} in ${path} is "${value}", which cannot stand in a path`);
  return encodeURIComponent(value);
}
