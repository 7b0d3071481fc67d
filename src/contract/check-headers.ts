import type { Contract } from "../model/contract.ts";
import type { ContractMistake } from "./contract-mistake.ts";

/** Headers of the connection and the message (RFC 9110, 9112): with another `Host`, the certificate of another host would be accepted. */
const ownHeaders: ReadonlySet<string> = new Set(
  "connection content-length expect host keep-alive proxy-connection te trailer transfer-encoding upgrade".split(" "),
);

/** Finds headers that Hostform itself sends, and headers that two entries set. */
export function checkHeaders({ request }: Contract): ContractMistake[] {
  const { auth, headers = {}, precondition, idempotency } = request;
  const path = ["request"];
  const named: (readonly [path: readonly string[], name: string])[] = [
    ...(auth.headers?.map((name, index) => [[...path, "auth", "headers", `${index}`], name] as const) ?? []),
    ...(auth.headers === undefined && auth.header ? [[[...path, "auth", "header"], auth.header] as const] : []),
    ...(precondition ? [[[...path, "precondition", "header"], precondition.header] as const] : []),
    ...(idempotency ? [[[...path, "idempotency", "header"], idempotency.header] as const] : []),
    ...Object.keys(headers).map((name) => [[...path, "headers", name], name] as const),
  ];
  const first = new Map<string, readonly string[]>();
  return named.flatMap(([at, name]): ContractMistake[] => {
    const key = at[1] === "headers" ? ({ key: true } as const) : {};
    const lower = name.toLowerCase();
    if (ownHeaders.has(lower))
      return [
        {
          path: at,
          summary: `${at.join(".")} sets the header ${name}, which Hostform sets`,
          hint: "take it out",
          ...key,
        },
      ];
    const other = first.get(lower);
    if (other === undefined) {
      first.set(lower, at);
      return [];
    }
    const summary = `${at.join(".")} sets the header ${name}, which ${other.join(".")} sets as well`;
    return [{ path: at, summary, hint: "take one of the two out", ...key }];
  });
}
