import { writtenValue } from "../model/body.ts";
import { clearValue } from "../model/clear-values.ts";
import { jsonText } from "../model/json.ts";
import type { Kind, Problem } from "./kind.ts";
import { asWritten, normaliseNumber, normaliseWord, ofText } from "./shared/normal-forms.ts";
import { checkDomain, normaliseDomain } from "./shared/domain-name.ts";
import { domainKey } from "./shared/natural-key.ts";
import { checkNotEmpty, identifierForm, isIdentifier } from "./shared/text-checks.ts";

export const database: Kind = {
  name: "database",
  manifest: "databases.{service}.databases.{name}",
  scope: ["service"],
  naming: {
    ...domainKey(["service", "name"]),
    check: ({ service = "", name = "" }) =>
      isIdentifier(name) ? checkDomain(service) : `a database name of ${identifierForm}`,
    prefixed: "name",
  },
  fields: {
    service: { access: "immutable" },
    name: { access: "immutable" },
    engine: { access: "immutable", required: true, normalise: normaliseWord },
    charset: {
      access: "mutable",
      normalise: normaliseWord,
      // PostgreSQL has its encodings in upper case, MySQL its character sets in lower case.
      sent: asWritten,
      check: (value) => (/^\S+$/u.test(jsonText(value)) ? undefined : "a word"),
      dependsOn: ["engine"],
    },
    collation: { access: "mutable", check: checkNotEmpty, dependsOn: ["engine", "charset"] },
    version: { access: "read_only" },
    status: { access: "read_only" },
    host: { access: "read_only", normalise: ofText(normaliseDomain) },
    port: { access: "read_only", normalise: normaliseNumber },
    size_mb: { access: "read_only", normalise: normaliseNumber },
  },
  relations: { requires: [[{ kind: "service", key: { domain: "service" } }]] },
  check: ({ fields }) =>
    ["charset", "collation"].flatMap((field) => {
      const written = writtenValue(fields[field]) ?? clearValue(fields[field]);
      return checkForEngine(field, jsonText(clearValue(fields["engine"])), jsonText(written));
    }),
  status: { usage: { content: "tables", used: "size_mb" } },
  guard: { protected: true },
  readiness: { ready: ["active"], awaited: ["pending"], failed: ["failed"] },
};

const ofMysql = /^(?:(?:utf8mb[34]|ascii|binary|ucs2|utf16|utf32|cp1252)(?:_\w+)?|latin1_\w+)$/iu;
const ofPostgresql = /^(?:UTF8|SQL_ASCII|LATIN\d+|C|POSIX)$|[.-]/u;

/** A character set or collation that only the other sort of engine knows. */
function checkForEngine(field: string, engine: string, name: string): Problem[] {
  const isPostgresql = engine === "postgresql";
  const isForeign = isPostgresql ? ofMysql.test(name) || name === "latin1" : engine !== "" && ofPostgresql.test(name);
  if (!isForeign) return [];
  const [charset, collation] = isPostgresql ? ["UTF8", "C.UTF-8"] : ["utf8mb4", "utf8mb4_unicode_ci"];
  const hint = `write ${field === "charset" ? charset : collation}, or leave ${field} out`;
  return [{ code: "foreign_charset", summary: `${engine} does not know the ${field} ${name}`, hint, path: [field] }];
}
