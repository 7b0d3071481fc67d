import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { Json, JsonObject } from "./json.ts";

/** Field values by dotted path (`settings.php_version`), in normal form. */
export type Fields = Readonly<Record<string, Json>>;

/** The named parts of a natural key, in normal form, such as `{zone, name, type}`. */
export type Key = Readonly<Record<string, string>>;

/** A piece of a string value: text, a secret from outside, or a read-only field of another resource. */
export type TemplatePart =
  | string
  | { readonly env: string }
  | { readonly file: string }
  | { readonly ref: Address; readonly field: string };

/**
 * A value that contains `${env:…}`, `${file:…}` or `${ref:…}` and is resolved later. `sensitive` values are masked in every output;
 * `known` tells whether the body's `fields` already hold the value (a variable that is set) or not (unset, or known after apply).
 */
export interface InterpolatedValue {
  readonly parts: readonly TemplatePart[];
  readonly sensitive: boolean;
  readonly known: boolean;
}

/** What a manifest says of one object: a field that is not here is not managed. */
export interface Body {
  readonly fields: Fields;
  readonly late: Readonly<Record<string, InterpolatedValue>>;
  /** Values as they were written, where that is not their normal form; nothing that is secret or comes from elsewhere. */
  readonly written?: Fields;
  /** Fields that are managed though the manifest does not write them, such as the TTL that a record has from its zone. */
  readonly implied?: readonly string[];
}

/** How one resource may change: from `lifecycle:` in its block. */
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
  readonly at: Position;
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

/** What is live under one address: one remote object, or the members of a set. */
export interface LiveResource {
  readonly address: Address;
  readonly kind: string;
  readonly key: Key;
  readonly remotes: readonly Remote[];
}

declare const collectionBrand: unique symbol;
/** `kind` or `kind/scope`, such as `dns_record/example.com`: what one list operation returns. */
export type CollectionId = string & { readonly [collectionBrand]: "CollectionId" };

export interface LiveCollection {
  readonly id: CollectionId;
  readonly kind: string;
  readonly scope: Key;
  readonly addresses: readonly Address[];
  /** Why the list cannot be trusted to be whole; undefined where it can. */
  readonly incomplete?: string;
}

export interface Live {
  readonly resources: ReadonlyMap<Address, LiveResource>;
  readonly collections: ReadonlyMap<CollectionId, LiveCollection>;
  /** GET requests that it took. */
  readonly reads: number;
}

declare const preparedBrand: unique symbol;
/** Live state with each resource under the address that the manifest has for it. Only `prepare` makes it. */
export interface PreparedLive extends Live {
  readonly [preparedBrand]: "PreparedLive";
}

/** How a collection is to be kept: from `exclusive` and `ignore` beside its items. */
export interface CollectionPolicy {
  readonly kind: string;
  readonly scope: Key;
  readonly exclusive: boolean;
  /** Where `exclusive` is written, if it is. */
  readonly exclusiveAt?: Position;
  /** Patterns of names that are never touched; see `matchesIgnore`. */
  readonly ignore: readonly string[];
  /** Where each of them is written. */
  readonly ignoreAt?: readonly Position[];
}

export interface Removal {
  readonly address: Address;
  readonly action: "forget" | "delete";
  readonly at: Position;
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
}
