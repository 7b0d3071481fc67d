import type { Answer } from "../api/answer.ts";
import { recordIn } from "../api/record-in.ts";
import { decodeRecord } from "../contract/binding.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";

/** The object that an answer to a creation tells; undefined where it tells none that has an id. */
export function objectIn(contract: Contract, kind: Kind, { body }: Answer): JsonObject | undefined {
  const record = recordIn(contract, body);
  const hasId = record && decodeRecord(contract, kind, record, {}, () => undefined).remote.id !== "";
  return record && hasId ? record : undefined;
}
