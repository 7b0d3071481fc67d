import { type Json, jsonText } from "../model/json.ts";
import { isObject } from "../model/json-pointer.ts";
import type { Key } from "../model/resource.ts";
import type { Kind } from "./kind.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { identifierForm, isIdentifier } from "./shared/text-checks.ts";
import { plainKey } from "./shared/natural-key.ts";
import { password } from "./shared/password.ts";

/** A user of a service's databases, at a host, with grants. `shop` is `shop@localhost`. */
export const databaseUser: Kind = {
  name: "database_user",
  manifest: "databases.{service}.users.{username}",
  scope: ["service"],
  naming: {
    ...plainKey(["service", "username", "host"]),
    normalise: ({ service = "", username = "", host }) => splitUser(normaliseDomain(service), username, host),
    check: ({ service = "", username = "", host = "" }) => {
      if (!isIdentifier(username)) return `a user name of ${identifierForm}`;
      if (!/^[a-z0-9.%:_/-]{1,255}$/u.test(host))
        return "a host behind the @: a name, an address, or a pattern such as 10.%";
      return checkDomain(service);
    },
    // A server without hosts has users of one host.
    ofLive: (fields, scope) => ({
      ...plainKey(["service", "username"]).ofLive(fields, scope),
      host: fields["host"] === undefined ? "localhost" : jsonText(fields["host"]),
    }),
    optional: ["host"],
    written: ({ username = "", host = "" }) => (host === "localhost" ? username : `${username}@${host}`),
    addressParts: (key) => [key["service"] ?? "", `${key["username"]}@${key["host"]}`],
    fromParts: ([service = "", user = "", ...rest]) =>
      rest.length === 0 && user !== "" ? splitUser(service, user) : undefined,
  },
  fields: {
    service: { access: "immutable" },
    username: { access: "immutable" },
    host: { access: "immutable" },
    password,
    grants: { access: "mutable", holdsObjects: true, normalise: normaliseGrants, spell: mapGrants, sent: listGrants },
  },
  relations: {
    requires: [[{ kind: "service", key: { domain: "service" } }]],
    references: {
      field: "grants",
      kind: "database",
      keyOf: (name, { service = "" }) => ({ service, name }),
      rename: (value, to) =>
        grantsOf(value).flatMap(({ database, privileges }) => {
          const name = to(database);
          return name === undefined ? [] : [{ database: name, privileges }];
        }),
    },
  },
  guard: { protected: true },
};

function splitUser(service: string, user: string, host = "localhost"): Key {
  const at = user.lastIndexOf("@");
  return at > 0
    ? { service, username: user.slice(0, at), host: user.slice(at + 1).toLowerCase() }
    : { service, username: user, host: host.toLowerCase() };
}

interface DatabaseGrant {
  readonly database: string;
  readonly privileges: Json;
}

function grantsOf(value: Json): DatabaseGrant[] {
  const normal = normaliseGrants(value);
  return Array.isArray(normal) ? (normal as readonly unknown[] as DatabaseGrant[]) : [];
}

/** A set by database; privileges as `all`, `read_only` or a sorted list. */
function normaliseGrants(value: Json): Json {
  const grants = listGrants(value);
  if (!Array.isArray(grants)) return value;
  return (grants as readonly unknown[] as DatabaseGrant[])
    .map(({ database, privileges }) => ({ database, privileges: normalisePrivileges(privileges) }))
    .sort((a, b) => (a.database < b.database ? -1 : a.database > b.database ? 1 : 0));
}

/** Returns grants in the API's form, from the manifest's map or that form itself, as they were written. */
function listGrants(value: Json): Json {
  if (isObject(value))
    return Object.entries(value).map(([database, privileges]) => ({
      database,
      privileges: spellPrivileges(privileges),
    }));
  if (!Array.isArray(value)) return value;
  return value
    .filter(isObject)
    .map(({ database, privileges }) => ({ database: jsonText(database), privileges: spellPrivileges(privileges) }));
}

/** Returns grants as a manifest writes them: privileges by database. */
function mapGrants(normal: Json): Json {
  if (!Array.isArray(normal)) return normal;
  return Object.fromEntries(grantsOf(normal).map(({ database, privileges }) => [database, privileges]));
}

/** The words `all` and `read_only` have one spelling, the names of single privileges have any letter case. */
const spellPrivileges = (value: Json | undefined): Json =>
  Array.isArray(value) ? value : jsonText(value).toLowerCase();

function normalisePrivileges(value: Json): Json {
  if (!Array.isArray(value)) return jsonText(value).toLowerCase();
  return [...new Set(value.map((privilege) => jsonText(privilege).toUpperCase()))].sort();
}
