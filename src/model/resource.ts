import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { Failure } from "./failure.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Secret } from "./secret.ts";
import type { StepReason } from "../messages/step-reasons.ts";

/** Field values by dotted path (`settings.php_version`), in normal form. */
export type Fields = Readonly<Record<string, Json>>;

/** The named parts of a natural key, in normal form, such as `{zone, name, type}`. */
export type Key = Readonly<Record<string, string>>;

/** A piece of a string value: text, a secret from outside, or a read-only field of another resource. */
export type TemplatePart =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly exec: string }
  | { readonly ref: Address; readonly field: string };

/** A value, or why there is none, with the name of its variable, file or command. */
export type FoundSecret =
  | { readonly value: string }
  | {
      readonly missing: string;
      readonly source?: string;
      /** Set where the manifest may not name it. */
      readonly refused?: "file" | "command";
      /** Set where this run looks nothing up there. */
      readonly isUnread?: true;
    };

/** A value that stands in the manifest, or is taken from a live object, in normal form. */
export interface KnownValue {
  readonly is: "known";
  readonly value: Json;
  /** The value as it was written, where that is not its normal form. */
  readonly written?: Json;
  /** Set where no manifest writes it, such as the TTL that a record has from its zone. */
  readonly implied?: true;
}

/** A value with `${ref:…}` and nothing secret: `value` is there once it is looked up, else only apply knows it. */
export interface ReferenceValue {
  readonly is: "reference";
  readonly parts: readonly TemplatePart[];
  readonly value?: Json;
}

/** A value with `${env:…}`, `${file:…}` or `${exec:…}`, or (without `parts`) one that its kind keeps secret; without `secret`, it is not known yet. */
export interface SecretValue {
  readonly is: "secret";
  readonly parts?: readonly TemplatePart[];
  readonly secret?: Secret;
  /** Of a value that refers to others, too: the secret, once the values of its references are found. */
  readonly late?: (find: (part: Exclude<TemplatePart, string>) => FoundSecret) => Secret | undefined;
}

// Interfaces, so that none of them is taken for a `JsonObject`.
export type Value = KnownValue | ReferenceValue | SecretValue;

/** Desired values by the dotted path of their field. */
export type Values = Readonly<Record<string, Value>>;

/** The declaration of one object: a field that is not here is not managed. */
export interface Body {
  readonly fields: Values;
}

/** The limits on changes of one resource: from `lifecycle:` in its block. */
export interface Lifecycle {
  /** Never deleted or replaced, even after its block is gone, until a manifest lifts it. */
  readonly preventDestroy: boolean;
  /** Fields, by dotted path, that keep their live value once the resource exists. */
  readonly ignoreChanges: readonly string[];
}

/** One desired resource. `members` is there for kinds whose address stands for several remote objects (an RRset). */
export interface Resource extends Body {
  readonly address: Address;
  readonly kind: string;
  readonly key: Key;
  readonly members?: readonly Body[];
  readonly lifecycle?: Lifecycle;
  /** Undefined for one that stands in no manifest that is read, such as one of a saved plan. */
  readonly at?: Position;
}

declare const brand: unique symbol;

/** The server's identifier of an object. Only `live/` mints it, from an answer. */
export type RemoteId = string & { readonly [brand]: "RemoteId" };

/** One object as the API listed it: `raw` is the record untouched, `fields` its normal form. */
export interface Remote {
  readonly id: RemoteId;
  readonly etag: string | undefined;
  readonly raw: JsonObject;
  readonly fields: Fields;
  /**
   * Fields that the snapshot redacted. Defined, even if empty, for every object from a snapshot; its `raw` record is then incomplete and must never be sent.
   */
  readonly redacted?: readonly string[];
}

/** The live state under one address: one remote object, or the members of a set. */
export interface LiveResource extends Pick<Resource, "address" | "kind" | "key"> {
  readonly remotes: readonly Remote[];
  /** Older objects of the address, which stay listed beside the one that counts. */
  readonly superseded?: readonly Remote[];
}

/** `kind` or `kind/scope`, such as `dns_record/example.com`: what one list operation returns. */
export type CollectionId = string & { readonly [brand]: "CollectionId" };

export interface LiveCollection {
  readonly id: CollectionId;
  readonly kind: string;
  readonly scope: Key;
  readonly addresses: readonly Address[];
  /** Parameters of the contract that were looked up for this list; one that was not found is missing. */
  readonly lookups?: Readonly<Record<string, string>>;
  /** The request of the list, or the id where each object says whose it is: of two collections of a kind with one list, each object is in both. */
  readonly list: string;
  /** The id of the parent by the id of each object, where the list is read once for each parent (`for_each`). */
  readonly parents?: ReadonlyMap<string, string>;
  /** Why the list cannot be trusted to be whole; undefined where it can. */
  readonly incomplete?: string;
  /** True where there is no such list: the server answered 404, or the snapshot does not hold it. */
  readonly isMissing?: true;
}

export interface Live {
  readonly resources: ReadonlyMap<Address, LiveResource>;
  readonly collections: ReadonlyMap<CollectionId, LiveCollection>;
  /** GET requests that it took. */
  readonly reads: number;
  /** The refusal of the first list, where every list that was asked for was refused with a status that may be about the key. */
  readonly refusedKey?: Failure;
}

/** Live state with each resource under the address that the manifest has for it. Only `prepare` makes it. */
export type PreparedLive = Live & { readonly [brand]: "PreparedLive" };

/** The rules for keeping a collection: from `exclusive` and `ignore` beside its items. */
export interface CollectionPolicy {
  readonly kind: string;
  readonly scope: Key;
  readonly exclusive: boolean;
  readonly exclusiveAt?: Position;
  /** Patterns of names that are never touched; see `matchesIgnore`. */
  readonly ignore: readonly string[];
  readonly ignoreAt?: readonly Position[];
}

export interface Removal {
  readonly address: Address;
  readonly action: "forget" | "delete";
  readonly at?: Position;
  /** Why, where it stands in no manifest. */
  readonly reason?: StepReason;
}

/** A manifest after all checks. */
export interface Desired {
  readonly name: string;
  readonly resources: ReadonlyMap<Address, Resource>;
  readonly collections: ReadonlyMap<CollectionId, CollectionPolicy>;
  readonly removed: ReadonlyMap<Address, Removal>;
  /** Kinds protected beyond those that are by default. */
  readonly protect: readonly string[];
  /** Deletions at most: a number, or a percentage such as `10%`. */
  readonly maxDeletes?: number | string;
  /** Drift that does not count. Default: none. */
  readonly tolerate?: readonly Toleration[];
  /** The values of variables that come from outside the manifest. */
  readonly variables?: readonly GivenVariable[];
}

/** An `ADDRESS` or `ADDRESS.FIELD` whose drift does not count; `*` stands for any text. */
export interface Toleration {
  readonly pattern: string;
  /** The last day, `YYYY-MM-DD` in UTC. Default: no end. */
  readonly until?: string;
  readonly at?: Position;
}

/** The value of a variable that does not stand in the manifest. */
export interface GivenVariable {
  readonly name: string;
  /** A number or boolean that is not written as JSON writes it (`1.20`) stands as text. */
  readonly value: Json;
  /** The source of the value, such as `--var ttl`. */
  readonly from: string;
}
