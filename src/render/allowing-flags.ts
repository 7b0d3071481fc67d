import { kindOf, type Address } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";

/** Deletions of one kind that are named one by one; beyond it, a number stands for them. */
const mostNamed = 5;

/** The flags that would allow all that a plan refuses and any flag can allow, quoted for a shell. */
export function allowingFlags({ refusals, steps }: Pick<Plan, "refusals" | "steps">): string[] {
  const refused = (flag: string) =>
    new Set(refusals.flatMap((each) => (each.flag === flag && each.address !== undefined ? [each.address] : [])));
  const rollback = refusals.some(({ flag }) => flag === "--rollback");
  return [
    ...deletions(refused("--allow-delete"), steps).map((value) => `--allow-delete ${quoted(value)}`),
    ...[...refused("--allow-purchase")].map((address) => `--allow-purchase ${quoted(address)}`),
    ...(rollback ? ["--rollback"] : []),
  ];
}

/** A number counts every deletion of the kind, so only those are behind it; an update is always named. */
function deletions(refused: ReadonlySet<Address>, steps: Plan["steps"]): string[] {
  const deleted = new Set(steps.flatMap(({ action, address }) => (action === "delete" ? [address] : [])));
  const kinds = new Set([...refused].map(kindOf));
  const counted = new Set(
    [...kinds].filter(
      (kind) =>
        countIn(
          [...refused].filter((address) => deleted.has(address)),
          kind,
        ) > mostNamed,
    ),
  );
  const isCounted = (address: Address) => deleted.has(address) && counted.has(kindOf(address));
  return [
    ...[...counted].map((kind) => `${kind}/*=${countIn(deleted, kind)}`),
    ...[...refused].filter((address) => !isCounted(address)),
  ];
}

const countIn = (addresses: Iterable<Address>, kind: string) =>
  [...addresses].filter((address) => kindOf(address) === kind).length;

const quoted = (text: string) =>
  /^[\w.@/%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
