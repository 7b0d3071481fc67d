import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readZoneFiles } from "../../../src/engine/import-files.ts";
import { declareZones } from "../../../src/import/declare-zones.ts";
import { readData } from "../../../src/import/zone-file/read-data.ts";
import { recordTypeOf } from "../../../src/kinds/dns/record-content.ts";
import { builtIn } from "../../support/built-in-contract.ts";

/** Texts of a zone by the names of their files; the first is the zone itself. */
export type ZoneFiles = Readonly<Record<string, string>>;

/** One reading of a zone: its records in a normal form, sorted; or the fact that it is refused. */
export type Reading = { readonly refused: string } | { readonly records: readonly string[] };

const judge = "named-checkzone";

/** The reason for which the judge cannot be asked; undefined if it can. */
export const absent = spawnSync(judge, ["-v"]).error
  ? "named-checkzone is absent: apt-get install bind9-utils"
  : undefined;

/** Checks of names and of other zones are switched off: the judge says what the text means. */
const lenient = "-i none -k ignore -m ignore -M ignore -n ignore -r ignore -S ignore -T ignore -W ignore";

/** Writes files to a new folder; returns the folder, and the name of the first file. */
export function writeFiles(files: ZoneFiles): { readonly folder: string; readonly first: string } {
  const folder = mkdtempSync(join(tmpdir(), "hostform-zone-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, first: Object.keys(files)[0] ?? "" };
}

/** Writes files to a folder of their own for the length of `work`. */
function withFiles<T>(files: ZoneFiles, work: (folder: string, first: string) => T): T {
  const { folder, first } = writeFiles(files);
  try {
    return work(folder, first);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Asks the judge for each folder below the working folder, 16 at a time: it waits more than it works. */
const askAll = (first: string, zone: string) =>
  `ls | xargs -P 16 -I {} sh -c 'cd {} && ${judge} ${lenient} -D -o dump "${zone}" "${first}" > said 2>&1 || rm -f dump'`;

/** Reads zones as BIND does. The first file of each has the same name. */
export function readAllAsJudge(zones: readonly ZoneFiles[], zone = "example.com"): Reading[] {
  const files = zones.flatMap((each, index) => Object.entries(each).map(([name, text]) => [`${index}/${name}`, text]));
  return withFiles(Object.fromEntries(files) as ZoneFiles, (cwd, first) => {
    execFileSync("sh", ["-c", askAll(first.replace(/^0\//u, ""), zone)], { cwd });
    return zones.map((_, index) => {
      const dump = join(cwd, String(index), "dump");
      if (!existsSync(dump)) return { refused: readFileSync(join(cwd, String(index), "said"), "utf8") };
      const lines = readFileSync(dump, "utf8").split("\n");
      return {
        records: lines
          .filter((line) => !/^(?:;|$)/u.test(line))
          .map(normalLine)
          .toSorted(),
      };
    });
  });
}

const dumpToken = /"(?:[^"\\]|\\.)*"|(?:[^\s"\\]|\\.)+(?:"(?:[^"\\]|\\.)*")?/gu;

/** Writes a record in the form in which two readings are compared. The judge prints all names whole. */
function normalLine(line: string): string {
  const [, name = "", ttl = "", type = "", data = ""] = /^(\S+)\s+(\d+)\s+IN\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
  const tokens = (data.match(dumpToken) ?? []).map((text) => {
    const isQuoted = text.startsWith('"');
    return { text: isQuoted ? text.slice(1, -1) : text, isQuoted, isGlued: false, at: { file: "", line: 1, col: 1 } };
  });
  const read = readData(type, tokens, ".");
  if ("faults" in read) throw new Error(`${line}: ${JSON.stringify(read.faults)}`);
  return lineOf({ name, ttl: Number(ttl), type, ...read });
}

interface Read {
  readonly name: string;
  readonly ttl: number | undefined;
  readonly type: string;
  readonly content: string;
  readonly priority?: number;
}

const lineOf = ({ name, ttl, type, content, priority }: Read) =>
  [
    bytesOf(name),
    ttl,
    type,
    priority ?? "",
    type === "SOA" ? content.toLowerCase() : recordTypeOf(type).normalise(content, ""),
  ].join(" ");

/** A name as the bytes of its labels, independent of the escapes. */
const bytesOf = (name: string) =>
  name
    .replaceAll(/\\(\d{3})|\\(.)|\./gu, (whole, code?: string, char?: string) => {
      if (whole === ".") return "|";
      return code === undefined ? (char ?? "") : String.fromCodePoint(Number(code));
    })
    .toLowerCase();

/** Reads a zone as Hostform does. Each set of records has the TTL of its first. */
export const readAsOurs = (files: ZoneFiles): Reading =>
  withFiles(files, (folder, first) => {
    const { zones, diagnostics } = readZoneFiles([join(folder, first)]);
    const declared = declareZones(zones, { contract: builtIn, isWanted: () => true });
    const errors = [...diagnostics, ...declared.diagnostics].filter(({ severity }) => severity === "error");
    if (errors.length > 0)
      return { refused: errors.map(({ summary, at }) => `${at?.line}:${at?.col} ${summary}`).join("\n") };
    const ttls = new Map<string, number | undefined>();
    const records = zones.flatMap((zone) =>
      zone.records.map((record) => {
        const set = `${record.name} ${record.type}`;
        if (!ttls.has(set)) ttls.set(set, record.ttl);
        return lineOf({ ...record, ttl: ttls.get(set) });
      }),
    );
    return { records: [...new Set(records)].toSorted() };
  });
