import type { RecordSet, Zones } from "./zones.ts";

/** A name below the owner of a DNAME, and the records of the name below the target that it is redirected to. */
interface RedirectedName {
  readonly name: string;
  readonly sets: ReadonlyMap<string, RecordSet>;
}

/** Returns the owners of records below the targets that a DNAME has before or after, with their names below the owner of the DNAME. */
export function redirectedNames(zones: Zones, owner: string, { before, after }: RecordSet): RedirectedName[] {
  return [...new Set([...before, ...after])].flatMap((host) =>
    host === null
      ? []
      : namesBelow(zones, host).map(([target, sets]) => ({
          name: target.slice(0, -host.length) + owner,
          sets,
        })),
  );
}

/** Returns the owners of records below a name, in every zone of the account, without the name itself. */
export function namesBelow(zones: Zones, host: string): [string, ReadonlyMap<string, RecordSet>][] {
  return [...zones.values()].flatMap(({ names }) => [...names].filter(([name]) => name.endsWith(`.${host}`)));
}
