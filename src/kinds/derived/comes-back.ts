import type { Kind } from "../kind.ts";

/** Returns whether a deleted object of this kind can be made again from its record alone: it holds no data and no secret beside that. */
export const comesBack = (kind: Kind): boolean =>
  kind.guard?.protected !== true && !Object.values(kind.fields).some(({ access }) => access === "write_only");
