import type { PutBack } from "../../model/report.ts";
import { indexIds } from "../object-identity.ts";
import type { RunInput } from "../run-context.ts";
import { finishing, makeLedger } from "../write-ledger.ts";
import type { HeldObject } from "./held.ts";
import { putBack } from "./put-back.ts";

/** Puts back what an earlier apply has deleted for successors that will not be made now. Its journal still holds each of them. */
export async function restoreHeld(all: readonly HeldObject[], input: RunInput): Promise<PutBack[]> {
  const connection = finishing(makeLedger(input.connection).connectionFor(undefined));
  const context = {
    ...input,
    connection,
    moved: new Map(),
    turns: new Map(),
    lists: new Map(),
    owners: indexIds(input.live),
  };
  const ended: PutBack[] = [];
  for (const held of all) ended.push(await putBack(context, held, held.successor));
  return ended;
}
