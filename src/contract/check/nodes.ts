import type { Field, Kind } from "../../kinds/kind.ts";
import type {
  AuthRules,
  Contract,
  FieldContract,
  JobRules,
  KindContract,
  ListContract,
  OperationContract,
  PagingRules,
  ParamContract,
  Pointer,
} from "../../model/contract.ts";

/** A place of a contract. `name` is its path as messages show it. */
export interface Place {
  readonly path: readonly string[];
  readonly name: string;
}

export interface KindPlace extends Place {
  readonly contract: Contract;
  /** The names of all kinds that the contract has. */
  readonly known: readonly string[];
  readonly kind: Kind;
  readonly entry: KindContract;
}

export interface FieldPlace extends KindPlace {
  readonly field: string;
  readonly own: FieldContract;
  readonly rules: Field;
}

export interface TypePlace extends FieldPlace {
  readonly type: string;
  /** The types that have parts, and the parts of this one. */
  readonly types: readonly string[];
  readonly parts: readonly string[];
  /** The parts that have to have a place, and have none. */
  readonly missing: readonly string[];
}

/** The nodes that each rule can look at, by its `at`. `other` is what was there before in the same place or by the same name. */
export interface Nodes {
  /** A name that the contract writes, of a kind or a field. */
  readonly name: Place & { readonly word: string; readonly words: readonly string[] };
  readonly auth: Place & { readonly auth: AuthRules };
  readonly header: Place & { readonly header: string; readonly other: Place | undefined };
  readonly paging: Place & { readonly paging: PagingRules };
  readonly job: Place & { readonly job: JobRules };
  readonly kind: KindPlace;
  /** A field that the contract does not write, or marks as absent. */
  readonly missing: KindPlace & { readonly field: string; readonly rules: Field };
  readonly field: FieldPlace & { readonly other: string | undefined };
  readonly word: Place & { readonly word: string; readonly ours: string; readonly other: string | undefined };
  readonly value: FieldPlace & { readonly value: string };
  readonly type: TypePlace;
  /** One place of a content or a name in parts: `names` stand there in one text. */
  readonly part: TypePlace & {
    readonly part: string;
    readonly pointer: Pointer;
    readonly names: readonly string[];
    readonly others: readonly string[];
  };
  readonly param: KindPlace & { readonly param: string; readonly source: ParamContract };
  /** A part of a key that fills a parameter. */
  readonly keyPart: KindPlace & { readonly param: string; readonly part: string };
  /** A field that has a request of its own. */
  readonly ownUpdate: KindPlace & { readonly field: string };
  /** Another kind that an entry names by the ids of its objects. `by`: the field or parameter. */
  readonly parent: KindPlace & ParentName;
  readonly list: KindPlace & { readonly list: ListContract };
  readonly request: KindPlace & { readonly operation: OperationContract };
  /** A field that a request is to send, and its place there where one is named. */
  readonly sent: KindPlace & { readonly field: string; readonly pointer: Pointer | undefined };
  /** A field of a kind, and the requests that change its objects or sets. */
  readonly changedField: FieldPlace & { readonly updates: readonly OperationContract[] };
  /** A text that parameters are filled into, beside paths. */
  readonly text: KindPlace & { readonly text: string };
  /** A parameter that a request uses. */
  readonly use: KindPlace & {
    readonly param: string;
    readonly source: ParamContract | undefined;
    /** The last word of its path, such as list, create or lookup. */
    readonly request: string;
    readonly isInPath: boolean;
  };
}

export interface ParentName {
  readonly in: "fields" | "params" | "for_each";
  readonly by: string;
  readonly parent: string;
  /** Whether another value than the id of the parent is meant. */
  readonly isOther: boolean;
}

export interface Marks {
  /** The rest of the path to what is wrong. */
  readonly below?: readonly string[];
  /** It is about the last key of the path, not its value. */
  readonly isKey?: boolean;
  /** Something that does no harm, but has no effect either: `contract check` shows it. */
  readonly isWarning?: boolean;
  /** The code of the diagnostic; default: that of its severity. */
  readonly code?: string;
}

/** A rule of a node: true where it holds, else what is said: a summary and a hint. */
type Rule = boolean | readonly [summary: string, hint: string, marks?: Marks];

/** The rules for each sort of node, as rows `holds || say`. */
export type RuleTable = { readonly [At in keyof Nodes]?: (node: Nodes[At]) => readonly Rule[] };
