import { conflict, invalid } from "../refusal.ts";
import { isoTime, pending, belongsToService, type Kind } from "./kind.ts";
import type { Grant } from "./database-user.ts";

type Input = {
  readonly service_id: string;
  readonly name: string;
  readonly engine: "mysql" | "mariadb" | "postgresql";
  readonly charset?: string;
  readonly collation?: string;
};

const engines: Readonly<
  Record<Input["engine"], { version: string; port: number; charset: string; collation: string }>
> = {
  mysql: { version: "8.4", port: 3306, charset: "utf8mb4", collation: "utf8mb4_unicode_ci" },
  mariadb: { version: "11.4", port: 3306, charset: "utf8mb4", collation: "utf8mb4_unicode_ci" },
  postgresql: { version: "17", port: 5432, charset: "UTF8", collation: "C.UTF-8" },
};

/** Throws 422 for names that only the other sort of engine knows: MySQL's begin with its character set, such as utf8mb4_unicode_ci. */
function checkCharset(
  engine: Input["engine"],
  { charset, collation }: Partial<Pick<Input, "charset" | "collation">>,
): void {
  const ofMysql = /^(utf8mb[34]|latin1|ascii|binary|ucs2|utf16|utf32|cp1252)(_\w+)?$/u;
  const fits = (name: string | undefined): boolean =>
    name === undefined ||
    (engine === "postgresql" ? !ofMysql.test(name) : !/^(UTF8|SQL_ASCII|LATIN\d+)$|[.-]|^(C|POSIX)$/u.test(name));
  const wrong = Object.entries({ charset, collation }).filter(([, name]) => !fits(name));
  if (wrong.length > 0)
    throw invalid(Object.fromEntries(wrong.map(([field]) => [field, [`is not known to ${engine}`]])));
}

/** A database. Where things take time it comes with a job. */
export const database: Kind<Input> = {
  idPrefix: "dbs",
  checks: [belongsToService],
  naturalKey: ({ service_id, name }) => `database ${service_id} ${name}`,
  scope: ({ service_id }) => service_id,
  make(input, context) {
    checkCharset(input.engine, input);
    const { fields, schedule } = pending(context, "pending", { status: "active" });
    const host = `${input.engine}.host.test`;
    const name = context.prefixed(input.name);
    return {
      record: { ...engines[input.engine], ...input, name, status: "active", host, size_mb: 0, ...fields },
      schedule,
    };
  },
  change(before, input) {
    const { charset, collation } = engines[before.engine];
    checkCharset(before.engine, input);
    return {
      record: { charset: input.charset ?? charset, collation: input.collation ?? collation },
    };
  },
  made({ id, schedule }, _, { now, asyncMs, bring }) {
    if (schedule.length === 0) return;
    bring("job", {
      record: { status: "pending", resource: { kind: "database", id }, created_at: isoTime(now), error: null },
      schedule: [
        [now + asyncMs / 2, { status: "running" }],
        [now + asyncMs, { status: "done" }],
      ],
    });
  },
  removing({ scope, record }, { objects }) {
    if (objects.allByKey(`database ${scope} ${String(record["name"])}`).length > 1) return;
    const holders = objects
      .inScope("database_user", scope)
      .filter((user) => (user.record["grants"] as readonly Grant[]).some((grant) => grant.database === record["name"]))
      .map((user) => String(user.record["username"]));
    if (holders.length > 0) {
      throw conflict(`The database ${String(record["name"])} is granted to ${holders.join(", ")}: revoke that first.`);
    }
  },
};
