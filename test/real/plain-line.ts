import type { SourceFields, SourceRecord } from "./source.ts";

/** A second, independent reading of record contents, so that hostform's own does not judge itself. */

const defaultTtl = 3600;
const ofName = ["ALIAS", "CNAME", "NS", "PTR"];

/** A record of the source as one line that can be compared. octoDNS writes `\;` for `;`; quotes are part of a text. */
export function sourceLine({ zone, name, type, ttl = defaultTtl, value }: SourceRecord): string {
  const { priority, content } =
    typeof value === "string" ? { priority: null, content: sourceText(type, value) } : sourceFields(type, value);
  return line({ zone, name: name === "" ? "@" : name, type, ttl, priority, content });
}

function sourceText(type: string, value: string): string {
  if (type === "TXT") return value.replaceAll(String.raw`\;`, ";");
  if (type === "AAAA") return longAddress(value);
  return ofName.includes(type) ? absolute(value) : value;
}

function sourceFields(type: string, value: SourceFields): { priority: unknown; content: string } {
  const { preference, exchange, priority, weight, port, target, flags, tag } = value;
  if (type === "MX") return { priority: preference, content: absolute(String(exchange)) };
  if (type === "SRV") return { priority, content: `${weight} ${port} ${absolute(String(target))}` };
  return { priority: null, content: `${flags} ${tag} ${value["value"]}` };
}

/** A record as a GET returns it, as the same line. */
export function liveLine(zone: string, record: Readonly<Record<string, unknown>>): string {
  const { ttl, priority } = record;
  const [name, type, content] = [String(record["name"]), String(record["type"]), String(record["content"])];
  return line({ zone, name, type, ttl, priority, content: liveContent(type, content) });
}

function liveContent(type: string, content: string): string {
  if (type === "AAAA") return longAddress(content);
  if (type !== "TXT" && type !== "CAA") return content;
  return content.replaceAll(/"((?:[^"\\]|\\.)*)"(\s+(?="))?/gsu, (_, inside: string) =>
    inside.replaceAll(/\\(\d{3})|\\(.)/gsu, (_whole, code?: string, char?: string) =>
      code === undefined ? (char ?? "") : String.fromCharCode(Number(code)),
    ),
  );
}

interface Parts {
  readonly zone: string;
  readonly name: string;
  readonly type: string;
  readonly ttl: unknown;
  readonly priority: unknown;
  readonly content: string;
}

function line({ zone, name, type, ttl, priority, content }: Parts): string {
  return `${name.toLowerCase()} in ${zone}: ${type} ${String(priority)} ${content} for ${String(ttl)} s`;
}

const absolute = (target: string) => target.toLowerCase().replace(/\.?$/u, ".");

/** All eight groups of an IPv6 address. */
function longAddress(text: string): string {
  const [head = [], tail] = text
    .toLowerCase()
    .split("::")
    .map((half) => half.split(":").filter((group) => group !== ""));
  const zeros = tail === undefined ? 0 : 8 - head.length - tail.length;
  return [...head, ...Array.from({ length: zeros }, () => "0"), ...(tail ?? [])]
    .map((group) => group.padStart(4, "0"))
    .join(":");
}
