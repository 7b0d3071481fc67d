import type { ApiRules, KindContract, LookupContract } from "../../model/contract.ts";
import type { KindName } from "../kinds/kind-name.ts";

export type {
  AnswerRules as AnswerEntry,
  FieldContract as FieldEntry,
  ListContract as ListEntry,
  LookupContract as LookupEntry,
  OperationContract as OperationEntry,
  PagingRules as PagingEntry,
  Pointer,
} from "../../model/contract.ts";

/** Any sort of parameter. */
export interface ParamEntry {
  readonly key?: string | Readonly<Record<string, string>>;
  readonly id_of?: KindName;
  readonly at?: string;
  readonly field?: string;
  readonly lookup?: LookupContract;
}

export interface KindEntry extends Omit<KindContract, "params"> {
  readonly params?: Readonly<Record<string, ParamEntry>>;
}

/** A contract as this service reads it. */
export interface Contract extends ApiRules {
  readonly name: string;
  readonly kinds: Readonly<Partial<Record<KindName, KindEntry>>>;
}

/** The gaps of a contract. */
export interface Manner {
  /** Ids are numbers. */
  readonly numberIds?: boolean;
  /** A list whose objects are read one by one holds ids alone, else poor records. */
  readonly bareIds?: boolean;
}
