import fc from "fast-check";

/** A value of a manifest. */
export type Json = unknown;

/** A letter so many times. */
export const times = (count: number, letter = "a") => letter.repeat(count);

/** Texts that many fields and keys refuse. */
export const oddText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "x",
    "_x",
    "x_",
    "-x",
    "x-",
    ".x",
    "x.",
    "x..y",
    "a/b",
    "../x",
    "/a/../b",
    "ä",
    "é x",
    "\u0000",
    "\u0007",
    "\n",
    "x\ny",
    "0",
    "1.5",
    "8.3",
    "8.3.1",
    "%",
    "*",
    "a b",
    "a@b",
    "a,b",
    "latin1",
    "LATIN1",
    "UTF8",
    "utf8mb4",
    "C",
    "en_US.UTF-8",
  ),
  fc
    .constantFrom(63, 64, 65, 72, 73, 254, 255, 256, 500, 501, 1024, 1025, 4096, 4097, 10_000, 10_001)
    .map((count) => times(count)),
  fc.constantFrom(36, 37, 64, 65).map((count) => times(count, "ä")),
  fc.string({ maxLength: 12 }),
);

const numbers = fc.oneof(fc.constantFrom(-1, 0, 1, 10, 11, 30, 86_400, 86_401, 604_800, 1e15, 1.5), fc.integer());

/** Values of every type, most of them wrong. */
export const anything = fc.oneof(oddText, numbers, fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}));

/** One of the right values, or anything. */
export const orOdd = (...right: Json[]) => fc.oneof(fc.constantFrom(...right), anything);

/** Host names, right and wrong. */
export const host = fc.oneof(
  fc.constantFrom(
    "ns1.host.test",
    "NS2.Host.test.",
    "a_b.test",
    "_a.test",
    "a-.test",
    "-a.test",
    "a.1",
    "a.b1",
    "a.b-c",
    "192.0.2.1",
    "a/b.test",
    "ä.test",
    "xn--a.test",
    `${times(63)}.test`,
    `${times(64)}.test`,
    `${`${times(60)}.`.repeat(4)}test`,
    `${`${times(62)}.`.repeat(4)}test`,
    "a.t",
    "a.t_t",
    "a.test-",
  ),
  oddText,
);

/** Mail addresses, right and wrong. */
export const address = fc
  .tuple(
    fc.oneof(
      fc.constantFrom("info", "a.b", "a+b", ".a", "a.", "a..b", "A'b", times(64), times(65), "ä", "a b", '"a"'),
      oddText,
    ),
    host,
  )
  .map(([local, at]) => `${local}@${at}`);

/** A right list, a list of drawn items, or anything. */
export const list = (items: fc.Arbitrary<Json>, right: Json) =>
  fc.oneof(fc.constant(right), fc.array(items, { maxLength: 4 }), anything);

/** Moments as ISO 8601, right and wrong. */
export const moment = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:00:60Z",
  "2026-12-31T23:59:60Z",
  "2026-01-01T00:00:00+25:00",
  "2026-01-01T00:00:00.5+02:00",
  "0000-01-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-04-31T10:00:00-03:00",
);
const cronField = fc.constantFrom(
  "*",
  "0",
  "1-5",
  "5-1",
  "*/5",
  "60",
  "7",
  "L",
  "W",
  "15W",
  "mon",
  "jan",
  "jan-mar",
  "sun-mon",
  "mon#1",
  "?",
  "1,2",
  "1,,2",
  "*/0",
  "*/100",
  "1/2",
  "1-5/2",
  "+1",
  "-1",
  "01",
  "5L",
  "H",
  "31",
);

/** Schedules of cron, right and wrong. */
export const schedule = fc.oneof(
  fc.tuple(cronField, cronField, cronField, cronField, cronField).map((fields) => fields.join(" ")),
  fc.constantFrom("@daily", "@reboot", "@hourly", "0 3 * *", "0 0 3 * * *", "0 0 30 2 *", "0  3 * * *"),
);

/** Database engines. */
export const engine = fc.constantFrom("mysql", "mariadb", "postgresql");

/** Character sets of databases, right and wrong. */
export const charset = fc.oneof(
  fc.constantFrom(
    "utf8mb4",
    "UTF8MB4",
    "utf8",
    "UTF8",
    "utf-8",
    "latin1",
    "LATIN1",
    "latin9",
    "SQL_ASCII",
    "ascii",
    "binary",
    "cp1252",
    "win1252",
    "utf16",
  ),
  oddText,
);

/** Collations of databases, right and wrong. */
export const collation = fc.oneof(
  fc.constantFrom(
    "utf8mb4_unicode_ci",
    "utf8mb4_bin",
    "latin1_swedish_ci",
    "C",
    "POSIX",
    "C.UTF-8",
    "c.utf-8",
    "en_US.UTF-8",
    "es-ES-x-icu",
    "binary",
    "LATIN1",
    "UTF8",
    "ucs_basic",
  ),
  oddText,
);
