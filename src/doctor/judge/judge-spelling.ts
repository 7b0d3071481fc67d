import { fieldOf, spellingContextOf, readField, type Spelt } from "../../contract/spelling/read-field.ts";
import { sortOf } from "../../contract/spelling/fits.ts";
import { isContent } from "../../contract/spelling/place.ts";
import { inlinePriority } from "../../kinds/shared/record-content.ts";
import type { Codec, FieldContract } from "../../model/contract.ts";
import { holds } from "../../model/condition.ts";
import { type Json, type JsonObject, jsonText } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import type { FieldValues, Misspelling } from "./field-values.ts";
import { judgeWords } from "./judge-words.ts";
import { jsonTypeOf } from "./say.ts";

type Judge = (given: FieldValues) => Misspelling | undefined;

/** Returns the first contradiction between the spelling of a field and the values that records hold at its place. */
export function judgeSpelling(spelt: Spelt, name: string, records: readonly JsonObject[]): Misspelling | undefined {
  const field = fieldOf(spelt.entry, name);
  if (!field || field.id_of !== undefined || field.keys !== undefined) return undefined;
  const isSentinel = (value: Json) => field.sentinel !== undefined && jsonText(value) === jsonText(field.sentinel);
  const values = records.flatMap((record) => {
    const value = getPointer(record, field.at);
    return value === undefined || value === null || isSentinel(value) ? [] : [value];
  });
  if (values.length === 0) return undefined;
  for (const judge of judges) {
    const found = judge({ spelt, name, field, records, values });
    if (found) return found;
  }
  return undefined;
}

/** Returns the codecs of a field with some taken away and some added, as they are written. */
export function codecsWith({ as = [] }: FieldContract, change: { less?: readonly Codec[]; more?: Codec }): JsonObject {
  const rest = as.filter((codec) => change.less?.includes(codec) !== true);
  const all = change.more === undefined ? rest : [...rest, change.more];
  return { as: all.length === 0 ? null : all };
}

const has = ({ as = [] }: FieldContract, codec: Codec) => as.includes(codec);

const judgeUnlimited: Judge = ({ name, field, values }) =>
  name.endsWith("_mb") && values.includes(-1)
    ? { expected: "a size, or null for unlimited", found: "-1", write: { ...codecsWith(field, {}), sentinel: -1 } }
    : undefined;

const bytesInMb = 1_048_576;
/** 10 TB in MB: a larger number of MB is one of bytes. */
const mostMb = 10_000_000;

const judgeUnit: Judge = ({ name, field, values }) => {
  if (!name.endsWith("_mb")) return undefined;
  const sizes = values.map(Number).filter((size) => size > 0);
  if (has(field, "bytes") && sizes.length > 0 && sizes.every((size) => size < bytesInMb)) {
    const found = `${Math.max(...sizes)}, which would be less than 1 MB`;
    return { expected: "a size in bytes", found, write: codecsWith(field, { less: ["bytes"] }) };
  }
  if (!has(field, "bytes") && sizes.some((size) => size > mostMb)) {
    const found = `${Math.max(...sizes)}, which is likely bytes`;
    return { expected: "a size in MB", found, write: codecsWith(field, { more: "bytes" }) };
  }
  return undefined;
};

const judgeNumbers: Judge = ({ spelt: { kind }, name, field, values }) => {
  const sort = sortOf(kind, name);
  const scalars = values.filter((value) => typeof value !== "object");
  const first = scalars[0];
  if (first === undefined || field.map || isContent(kind, name)) return undefined;
  const isText = scalars.every((value) => typeof value === "string");
  const found = `${jsonTypeOf(first)} at ${field.at}`;
  if (has(field, "integer") && isText)
    return { expected: "a number (as: [integer])", found, write: codecsWith(field, { less: ["integer"] }) };
  if (has(field, "string") && !isText)
    return { expected: "a text (as: [string])", found, write: codecsWith(field, { less: ["string"] }) };
  if (kind.fields[name]?.access === "read_only" || field.as?.includes("bytes") === true) return undefined;
  const isNumber = scalars.every((value) => typeof value === "number");
  if (sort === "text" && isNumber && !has(field, "integer"))
    return { expected: "a text", found, write: codecsWith(field, { more: "integer" }) };
  if ((sort === "number" || sort === "boolean") && isText && !has(field, "string")) {
    const isDigits = scalars.every((value) => /^(?:-?\d+|true|false)$/u.test(jsonText(value)));
    if (isDigits) return { expected: `a ${sort}`, found, write: codecsWith(field, { more: "string" }) };
  }
  return undefined;
};

const judgeLocalPart: Judge = ({ spelt: { kind }, name, field, values }) => {
  if (name !== "address" || !kind.scope.includes("domain")) return undefined;
  const texts = values.filter((value) => typeof value === "string");
  const whole = texts.filter((text) => text.includes("@")).length;
  if (has(field, "local_part") && whole > 0)
    return {
      expected: "the part of an address before the @ (as: [local_part])",
      found: "whole addresses",
      write: codecsWith(field, { less: ["local_part"] }),
    };
  if (!has(field, "local_part") && texts.length > 0 && whole === 0)
    return {
      expected: "whole mail addresses",
      found: "texts without an @",
      write: codecsWith(field, { more: "local_part" }),
    };
  return undefined;
};

const judgeRecordName: Judge = ({ spelt: { kind, key }, name, field, values }) => {
  if (kind.naming.relative?.field !== name) return undefined;
  const zone = key["zone"] ?? "";
  const names = values.filter((value) => typeof value === "string");
  const isWhole = (text: string) => {
    const lower = text.toLowerCase().replace(/\.$/u, "");
    return lower === zone || lower.endsWith(`.${zone}`);
  };
  const whole = names.filter(isWhole).length;
  if (has(field, "whole_name") && whole === 0)
    return {
      expected: "names with their zone (as: [whole_name])",
      found: "names without their zone",
      write: {
        as: [...(field.as ?? []).filter((codec) => codec !== "whole_name" && codec !== "final_dot"), "relative_name"],
      },
    };
  if (has(field, "relative_name") && whole > names.length / 2)
    return {
      expected: "names without their zone (as: [relative_name])",
      found: "names with their zone",
      write: { as: ["whole_name", ...(names.every((text) => text.endsWith(".")) ? ["final_dot"] : [])] },
    };
  if (names.includes("") && !has(field, "empty_apex") && !has(field, "whole_name"))
    return { expected: "@ for the apex", found: "an empty text", write: codecsWith(field, { more: "empty_apex" }) };
  return undefined;
};

const judgeContent: Judge = ({ spelt, name, field, records }) => {
  if (!isContent(spelt.kind, name)) return undefined;
  const written = records.flatMap((record): RecordContent[] => {
    const value = getPointer(record, field.at);
    const { type } = spellingContextOf(spelt, name, record);
    const isOwn = typeof value === "string" && value !== "" && !field.parts?.[type] && !isOfPlatform(spelt, record);
    return isOwn ? [{ type, value, record }] : [];
  });
  return judgeTexts(field, written) ?? judgePriorities(spelt, field, written) ?? judgeDots(field, written);
};

/** The content of one record, as the API spells it. */
interface RecordContent {
  readonly type: string;
  readonly value: string;
  readonly record: JsonObject;
}

/** Whether a record is the platform's own, which may be spelt as no other is. */
function isOfPlatform(spelt: Spelt, record: JsonObject): boolean {
  const own = spelt.kind.serverMade?.ownFlag;
  const { managed_when: conditions = [] } = spelt.entry;
  return (
    (own !== undefined && readField(spelt, own, record) === true) ||
    conditions.some((condition) => holds(condition, record))
  );
}

function judgeTexts(field: FieldContract, contents: readonly RecordContent[]): Misspelling | undefined {
  const texts = contents.filter(({ type }) => type === "TXT" || type === "SPF");
  const quoted = texts.filter(({ value }) => /^"[^]*"$/u.test(value)).length;
  if (texts.length === 0 || (quoted > 0 && quoted < texts.length)) return undefined;
  if (has(field, "plain_text") && quoted > 0)
    return {
      expected: "TXT without quotes (as: [plain_text])",
      found: "TXT in quotes",
      write: codecsWith(field, { less: ["plain_text"] }),
    };
  if (!has(field, "plain_text") && quoted === 0)
    return {
      expected: "TXT in quotes (the default)",
      found: "TXT without quotes",
      write: codecsWith(field, { less: ["quoted_text"], more: "plain_text" }),
    };
  return undefined;
}

function judgePriorities(
  { entry }: Spelt,
  field: FieldContract,
  contents: readonly RecordContent[],
): Misspelling | undefined {
  const all = contents.filter(({ type }) => type === "MX" || type === "SRV");
  const inside = all.filter(({ type, value }) => inlinePriority(type, value) !== undefined).length;
  if (all.length === 0 || (inside > 0 && inside < all.length)) return undefined;
  if (has(field, "priority_inside") && inside === 0)
    return {
      expected: "the priority of MX and SRV before their content (as: [priority_inside])",
      found: "contents without it",
      write: codecsWith(field, { less: ["priority_inside"] }),
    };
  const own = entry.fields["priority"];
  const isBeside = own !== undefined && all.some(({ record }) => typeof getPointer(record, own.at) === "number");
  if (!has(field, "priority_inside") && inside > 0 && !isBeside)
    return {
      expected: "the priority of MX and SRV beside their content",
      found: "the priority before the content",
      write: codecsWith(field, { more: "priority_inside" }),
    };
  return undefined;
}

const hostTypes: ReadonlySet<string> = new Set(["CNAME", "DNAME", "MX", "NS", "PTR", "SRV"]);

function judgeDots(field: FieldContract, contents: readonly RecordContent[]): Misspelling | undefined {
  const hosts = contents.filter(({ type, value }) => hostTypes.has(type) && /[^.\s]\.?$/u.test(value));
  const dotted = hosts.filter(({ value }) => value.endsWith(".")).length;
  if (hosts.length === 0 || (dotted > 0 && dotted < hosts.length)) return undefined;
  if (has(field, "no_final_dot") && dotted > 0)
    return {
      expected: "host names without a final dot (as: [no_final_dot])",
      found: "host names with a final dot",
      write: codecsWith(field, { less: ["no_final_dot"] }),
    };
  if (!has(field, "no_final_dot") && dotted === 0)
    return {
      expected: "host names with a final dot",
      found: "host names without it",
      write: codecsWith(field, { less: ["final_dot"], more: "no_final_dot" }),
    };
  return undefined;
}

const judges: readonly Judge[] = [
  judgeUnlimited,
  judgeUnit,
  judgeWords,
  judgeNumbers,
  judgeLocalPart,
  judgeRecordName,
  judgeContent,
];
