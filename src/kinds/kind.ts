import type { Json, JsonObject } from "../model/json.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Fields, Key, Resource } from "../model/resource.ts";

/** A mistake that a kind found in a manifest. `path` leads from the resource's written body to the place. */
export interface Problem extends Pick<Diagnostic, "code" | "summary" | "detail" | "hint" | "rule"> {
  /** Default: error. */
  readonly severity?: Diagnostic["severity"];
  /** Default: the key of the resource. */
  readonly path?: readonly (string | number)[];
  /** Other resources that take part. */
  readonly related?: readonly { readonly address: Address; readonly message: string }[];
}

/** The behaviour of one field (RO, WO, I; all else may be updated). */
export interface Field {
  /** `manifest_only`: never sent, never compared; it steers the plan. */
  readonly access: "mutable" | "immutable" | "read_only" | "write_only" | "manifest_only";
  /** Dotted path in the manifest where it differs from the field's own. */
  readonly from?: string;
  /** The value of a field that is not written: this field of the parent, or else this key of the manifest's `defaults`. */
  readonly fallback?: { readonly parent: string; readonly default: string };
  /** The normal form, in which equal values are equal: for comparing. Total: what it does not understand stays as it is. Without it the field is a text. */
  readonly normalise?: (value: Json, key: Key) => Json;
  /** The value as a person writes it in a manifest, from its normal form; without it, the normal form itself. */
  readonly spell?: (normal: Json) => Json;
  /** True for a field that a manifest can write only together with a secret, which no API gives out. */
  readonly needsSecret?: true;
  /** The form that is sent, if it is not the normal one: as it was written, as far as the API takes that. */
  readonly sent?: (written: Json, normal: Json, key: Key) => Json;
  /** The expected form, if the value is not acceptable. Sees the written value. */
  readonly check?: (value: Json, key: Key) => string | undefined;
  /** The same for each item of a list. */
  readonly checkItem?: (item: Json) => string | undefined;
  /** True where a value is made of objects. Default: it is a text, a number or a truth value, or a list of them. */
  readonly holdsObjects?: true;
  /** The contract must list the values that the API takes. `isWord`: a value is a word of the standard, and not a misspelled one. */
  readonly listed?: { readonly isWord: (value: string) => boolean };
  /** Fields that this one follows: where one of them changes, its live value is not carried over to the resource that is created again. */
  readonly dependsOn?: readonly string[];
  /** True where nothing can be created without it. */
  readonly required?: boolean;
  /** Whether nothing of this key can be created without it, where that depends on the key. */
  readonly requiredFor?: (key: Key) => boolean;
  /** True for a write-only field that an update takes too, so that it can be sent again. */
  readonly rotates?: boolean;
  /** True for text in which people put credentials, such as a command line: a snapshot leaves out what looks like one. */
  readonly mayHoldCredentials?: boolean;
}

/** One of the resources that must exist first: a kind, and where its key parts come from (key parts or fields of this resource). */
export interface Parent {
  readonly kind: string;
  readonly key: Readonly<Record<string, string>>;
}

/** Something that two resources cannot hold at once. Two holders collide unless both hold it `shared`. */
export interface UniqueName {
  readonly name: string;
  readonly shared: boolean;
}

/** One member of a set as it is written: its fields, and the path to it from the resource's body. */
export interface WrittenMember {
  readonly fields: Fields;
  readonly path: readonly (string | number)[];
}

/** A kind whose address stands for several remote objects (an RRset). */
export interface Members {
  /** The field whose value identifies a member in the set, such as the content of a DNS record. */
  readonly identity: string;
  /** Fields that all members share; they are the resource's own. */
  readonly shared: readonly string[];
  /** Fields that are managed even where they are not written, with the value they are kept at. */
  readonly always: Fields;
  /** Splits the written body into the shared fields and the members. */
  readonly read: (body: Json, key: Key) => { readonly shared: Fields; readonly members: readonly WrittenMember[] };
  /** Returns the key of the part that is wrong in a member written as a map. */
  readonly wrongPart: (member: Json, key: Key) => string | undefined;
  /** Writes the body that `read` splits: the shared fields and the fields of each member, from their normal form. */
  readonly write: (shared: Fields, members: readonly Fields[], key: Key) => Json;
  /** Whether there is only ever one member: then what is there goes before what takes its place. */
  readonly single: (key: Key) => boolean;
  /** Whether a live member may be given another identity instead of being deleted. */
  readonly reusable: (live: Fields) => boolean;
}

/** The answer of a set of DNS records: the full name of its owner, its zone and type, and the members that are given out. */
export interface Answering {
  readonly at: (key: Key) => { readonly zone: string; readonly name: string; readonly type: string };
  readonly counts: (member: Fields) => boolean;
  /** The host names that a member's data points to: lower case, without the final dot. */
  readonly targets: (key: Key, member: Fields) => readonly string[];
}

/** The words of the read-only field `status`; a word that none of the lists holds is unknown. */
export interface Readiness {
  readonly ready: readonly string[];
  /** The server is at work: waiting helps. */
  readonly awaited: readonly string[];
  readonly failed: readonly string[];
  /** The server's own words for a failure, from other fields. */
  readonly reason?: (live: Fields) => string;
  /** A person or a registry must act: waiting does not help. `written`: the fields that this run's request sent. */
  readonly external?: (status: string, written: Fields) => string | undefined;
}

/** The natural key of a resource, and its way into addresses, records and manifests. */
export interface Naming {
  /** The normal form of a key, so that one object has one address. */
  readonly normalise: (key: Key) => Key;
  /** The expected form, for a key that is not acceptable in normal form. */
  readonly check: (key: Key) => string | undefined;
  /** The parts of the address, and back. */
  readonly addressParts: (key: Key) => readonly string[];
  readonly fromParts: (parts: readonly string[]) => Key | undefined;
  /** The key of a live object, from its fields and the scope of the list it came in; `isRelative`: its name is not a whole one. */
  readonly ofLive: (fields: Fields, scope: Key, isRelative?: boolean) => Key;
  /** Fields of the key that a record need not tell; `ofLive` has a value for each. */
  readonly optional?: readonly string[];
  /** A part of the key that the address does not say, so it may differ from what is live: a field of the same name has it. */
  readonly beside?: string;
  /** The fields that follow from the address, for a creation. */
  readonly toFields: (key: Key) => Fields;
  /** The key parts that stand in the body, for kinds that a manifest lists (`[]`) instead of naming them. */
  readonly fromBody?: (body: Json) => Key;
  /** The body that has the key parts of such a kind. */
  readonly toBody?: (key: Key) => JsonObject;
  /** The name as a manifest writes it, where it is not the last part of the place in the manifest alone. */
  readonly written?: (key: Key) => string;
  /** The key part that a user chose, where it is not the last: a mistake in a key is shown at it. */
  readonly chosen?: string;
  /** The server may put a prefix and an underscore before this part of the key. */
  readonly prefixed?: string;
  /** For names that servers list relative to the scope or whole. */
  readonly relative?: {
    readonly field: string;
    /** Whether a list response uses names relative to its scope, judged by all its names. */
    readonly areListed: (names: readonly string[], scope: Key) => boolean;
    /** The key that a name would have if it were read the other way: relative instead of whole. */
    readonly otherReading: (key: Key) => Key;
  };
}

/** A field whose value names resources of one kind, such as the databases of a user's grants. */
export interface References {
  /** A mutable field. */
  readonly field: string;
  readonly kind: string;
  /** The key of a named resource, beside the key of the one that names it. */
  readonly keyOf: (name: string, key: Key) => Key;
  /** The value with other names: without what belongs to a name that becomes none. Total: a value without names stays as it is. */
  readonly rename: (value: Json, to: (name: string) => string | undefined) => Json;
}

export interface Relations {
  /** Each requirement is met by any one of its alternatives; one whose value is null or not written is void. */
  readonly requires?: readonly (readonly Parent[])[];
  /** Requirements in a field, which can be taken out of it before the resources that it names go. */
  readonly references?: References;
  /** Optional dependencies: ordered before this resource if the same plan contains them, but not required to exist. */
  readonly follows?: (key: Key) => readonly Parent[];
  /** Beside the address, which is always unique. */
  readonly uniqueNames?: (key: Key) => readonly UniqueName[];
}

export interface ListingRules {
  /** Older objects of one key stay listed: the highest value of this field counts, and no creation is repeated by itself. */
  readonly newest?: string;
  /** Corrects fields that some servers put into another (the priority before an MX's host). */
  readonly correct?: (fields: Fields) => Fields;
}

/** Objects that the server makes by itself. */
export interface ServerMade {
  /** If no object is live and the desired fields equal these, there is nothing to create. */
  readonly absent?: Fields;
  /** Resources that the server creates together with this one. */
  readonly creates?: (key: Key, fields: Fields) => readonly Parent[];
  /** Objects elsewhere that go with this one, such as the record of a domain's DKIM. */
  readonly keeps?: (key: Key, live: Fields) => readonly Parent[];
  /** The field that is true for a live object of the platform's own: listed, never written. */
  readonly ownFlag?: string;
  /** Whether a resource of this key may be the platform's, though no field says so: a collection's being exclusive does not delete it. */
  readonly mayBeOwn?: (key: Key) => boolean;
}

/** Answers that must not fail while a plan runs. */
export interface Availability {
  readonly answers?: Answering;
  /** A delegation outside of the account's zones: its name, and the field with its name servers. */
  readonly delegates?: { readonly name: (key: Key) => string; readonly servers: string };
  /** Whether it signs the zone of its key: a zone that its parent tells is signed, and is not, answers nothing. */
  readonly signs?: (fields: Fields) => boolean;
  /** The address by which people reach it, such as a mail address, which another kind may take over. */
  readonly address?: (key: Key) => string;
}

export interface Guard {
  /** True: never deleted or replaced without naming it (it holds data, costs money or can black out a domain). */
  readonly protected: boolean;
  /** True where creating this resource costs money or cannot be undone. */
  readonly purchase?: (fields: Fields) => boolean;
  /** Why an update, or a deletion (`after` undefined), is refused, and whether naming the address under --allow-delete consents to it. */
  readonly refuse?: (
    before: Fields,
    after: Fields | undefined,
  ) => { readonly summary: string; readonly consent: boolean } | undefined;
}

export interface Renewal {
  /** The field that tells when it ends. */
  readonly expires: string;
  /** Why this must be renewed now (milliseconds since the epoch); undefined where it need not. */
  readonly due: (live: Fields, written: Fields, now: number) => string | undefined;
}

export interface Status {
  /** The consequence of a deletion that the API does not state, as a clause. */
  readonly deletionRisk?: string;
  /** Content that a deletion destroys, in a word such as `tables`, and the fields with its size and limit in MB (null: no limit). */
  readonly usage?: { readonly content: string; readonly used: string; readonly limit?: string };
  /** Values that the user must enter elsewhere, such as DS records at the registrar; one line each. */
  readonly externalValues?: (live: Fields) => readonly string[];
}

/** The numbers of declared resources: a check need not look up what is surely not there. Of resources that are sets, where not said otherwise. */
export interface Census {
  /** Whether no other address differs from this one in its last part alone. */
  readonly isAlone: (address: Address) => boolean;
  /** Returns the last parts of the addresses with the same kind and first part, such as the types of the records in a zone. */
  readonly lastPartsBeside: (address: Address) => ReadonlySet<string>;
  /** Whether a zone is declared whose name ends with a dot and this name. */
  readonly isAboveZone: (name: string) => boolean;
}

/** All that Hostform knows of one kind of resource. Everything else is derived from it and from the contract. */
export interface Kind {
  readonly name: string;
  /** Its place in a manifest: keys, with the named parts of the natural key in braces. */
  readonly manifest: string;
  /** The key parts that select one list: none for a list of the whole account. */
  readonly scope: readonly string[];
  readonly naming: Naming;
  readonly fields: Readonly<Record<string, Field>>;
  readonly members?: Members;
  readonly relations?: Relations;
  readonly listing?: ListingRules;
  readonly serverMade?: ServerMade;
  readonly availability?: Availability;
  readonly guard?: Guard;
  readonly readiness?: Readiness;
  readonly renewal?: Renewal;
  /** The field that asks for write-only ones to be sent again after a time, and the live one that tells when they last were. */
  readonly rotation?: { readonly after: string; readonly last: string };
  readonly status?: Status;
  /** Checks several fields, or other resources. */
  readonly check?: (
    resource: Resource,
    lookup: (address: Address) => Resource | undefined,
    census?: Census,
  ) => readonly Problem[];
}
