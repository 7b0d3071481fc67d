import { shorten } from "../../lib/shorten.ts";
import { splitAddress, toAddress } from "../../model/address.ts";
import type { TemplatePart } from "../../model/resource.ts";
import { nearest } from "../../model/nearest.ts";

interface Malformed {
  readonly error: string;
}

type ParsedTemplate = { readonly parts: readonly TemplatePart[] } | Malformed;

const readers: Readonly<Record<string, (argument: string) => TemplatePart | Malformed>> = {
  env: readVariable,
  file: (path) => (path.trim() === "" ? expected("file", "a path, such as ${file:./key.pem}") : { file: path }),
  exec: (name) =>
    isVariableName(name) && name !== "FILE"
      ? { exec: name }
      : expected("exec", "the name of a command that the runner allows, such as ${exec:INFO_PASSWORD}, not FILE"),
  ref: readReference,
};

/**
 * The parts of a text with `${env:NAME}`, `${file:PATH}`, `${exec:NAME}` and `${ref:ADDRESS.FIELD}`; `$${` is a literal `${`. A reference is
 * divided at its last dot: whoever knows the addresses takes an earlier dot where a field has dots of its own.
 * The error says what was expected and what to do; it holds no value.
 */
export function parseInterpolation(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let literal = "";
  let at = 0;
  for (let open = text.indexOf("${"); open >= 0; open = text.indexOf("${", at)) {
    if (text[open - 1] === "$" && open > at) {
      literal += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = text.indexOf("}", open);
    if (close < 0) return { error: 'a ${ is never closed: write the "}", or $${ for a literal ${' };
    const part = readPart(text.slice(open + 2, close));
    if (typeof part === "object" && "error" in part) return part;
    literal += text.slice(at, open);
    if (literal !== "") parts.push(literal);
    parts.push(part);
    literal = "";
    at = close + 1;
  }
  literal += text.slice(at);
  return { parts: literal === "" && parts.length > 0 ? parts : [...parts, literal] };
}

const isVariableName = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/u.test(name);

function readVariable(name: string): TemplatePart | Malformed {
  if (!isVariableName(name)) return expected("env", "the name of a variable, such as ${env:INFO_PASSWORD}");
  return name === "HOSTFORM_API_KEY"
    ? { error: `\${env:${name}} would send the API key as a value, where others may read it: name another variable` }
    : { env: name };
}

function readPart(inside: string): TemplatePart | Malformed {
  const colon = inside.indexOf(":");
  const name = colon < 0 ? inside : inside.slice(0, colon);
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read && colon >= 0) return read(inside.slice(colon + 1));
  const near = nearest(name.trim(), Object.keys(readers));
  const meant = near === undefined ? "" : `; did you mean \${${near}:…}?`;
  return {
    error: `"\${${shorten(name, 30)}" names no source: write \${env:NAME}, \${file:PATH}, \${exec:NAME}, \${var:NAME} or \${ref:ADDRESS.field}, or $\${ for a literal \${${meant}`,
  };
}

function readReference(argument: string): TemplatePart | Malformed {
  const [, text = "", field] = /^([a-z_]+\/.+)\.([a-z][a-z0-9_]*)$/u.exec(argument) ?? [];
  const address = splitAddress(text);
  if (!address || field === undefined)
    return expected("ref", "an address and a field, such as ${ref:service/example.com.id}");
  return { ref: toAddress(address.kind, address.parts), field };
}

const expected = (source: string, what: string): Malformed => ({ error: `\${${source}:…} takes ${what}` });
