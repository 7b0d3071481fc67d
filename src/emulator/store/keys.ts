import { createHmac, timingSafeEqual } from "node:crypto";
import { prepareStatement, type Database } from "./database.ts";

/** The resource groups of the vendor's document, as keys' permissions name them: the OpenAPI document's tags in lower case. */
export const groups = ["services", "mail", "ftp", "database", "dns", "dnssec", "crons", "domains", "ssl"] as const;

export const levels = ["none", "read", "write"] as const;

export type Group = (typeof groups)[number];
export type Level = (typeof levels)[number];
export type Permissions = Readonly<Record<Group, Level>>;

export const allPermissions = Object.fromEntries(groups.map((group) => [group, "write"])) as Permissions;

/** Whether the permissions allow a method on a group. What belongs to no group (jobs) is open to every key. */
export function allows(permissions: Permissions, group: string, method: string): boolean {
  const level = (permissions as Readonly<Record<string, Level>>)[group];
  return level === undefined || level === "write" || (level === "read" && method === "GET");
}

export interface ApiKey {
  readonly id: string;
  readonly permissions: Permissions;
}

export type Keys = ReturnType<typeof openKeys>;

/**
 * Opens the API keys, of which the data file has only a keyed hash.
 * Keys are hashed with HMAC-SHA-256 under a salt of the store. A slow hash such as scrypt guards guessable passwords
 * and would cost each request some 50 ms; keys made here have 256 random bits, which no one guesses.
 */
export function openKeys(database: Database, salt: string) {
  const entries = new Map<string, { readonly key: ApiKey; readonly hash: Buffer }>();
  const hash = (secret: string): Buffer => createHmac("sha256", salt).update(secret).digest();
  for (const [id, hex, permissions] of prepareStatement(database, "SELECT id, hash, permissions FROM keys").all()) {
    const key = { id: String(id), permissions: JSON.parse(String(permissions)) as Permissions };
    entries.set(String(hex), { key, hash: Buffer.from(String(hex), "hex") });
  }
  const insert = prepareStatement(database, "INSERT OR REPLACE INTO keys VALUES (?, ?, ?)");
  return {
    /** The key that a bearer sent, or undefined. Takes the same time for every wrong key. */
    find: (secret: string): ApiKey | undefined => findEqual([...entries.values()], hash(secret)),
    /** Adds a key, or changes the permissions of one that is there; an id is used only for a new one. */
    put: (secret: string, id: string, permissions: Permissions): ApiKey => {
      const digest = hash(secret);
      const hex = digest.toString("hex");
      const key = { id: entries.get(hex)?.key.id ?? id, permissions };
      insert.run([key.id, hex, JSON.stringify(permissions)]);
      entries.set(hex, { key, hash: digest });
      return key;
    },
    get size(): number {
      return entries.size;
    },
  };
}

const findEqual = (entries: readonly { readonly key: ApiKey; readonly hash: Buffer }[], hash: Buffer) =>
  entries.filter((entry) => timingSafeEqual(entry.hash, hash)).at(0)?.key;

/** A new key: 256 random bits. */
export const makeSecret = (random: (bytes: number) => Uint8Array): string =>
  `hf_${Buffer.from(random(32)).toString("base64url")}`;

/** Whether a key may do everything, and so also use the service's own switches. */
export const isMaster = ({ permissions }: ApiKey): boolean => groups.every((group) => permissions[group] === "write");
