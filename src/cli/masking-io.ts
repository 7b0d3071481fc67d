import { breakLogCommands } from "../render/escape.ts";
import { renderEvent } from "../render/events.ts";
import type { Io, OuterIo } from "./io.ts";
import { publicLengthIn, redactor } from "./redact.ts";

/** Returns the world outside with every secret masked in all that is printed. */
export function maskingIo(outer: OuterIo): Io {
  const secrets = new Set<string>();
  const publicLengths = new Map<string, number>();
  const mask = redactor(secrets, publicLengths);
  const publicTexts: string[] = [];
  const keepPublicIn = (secret: string) => {
    // A manifest writes a text without the quotes that its record has.
    const quote = secret.startsWith('"') ? 1 : 0;
    const lengths = publicTexts.map((text) => {
      const bare = publicLengthIn(text, secret.slice(quote));
      return bare === 0 ? 0 : bare + quote;
    });
    const length = Math.max(publicLengths.get(secret) ?? 0, ...lengths);
    if (length > 0) publicLengths.set(secret, length);
  };
  return {
    ...outer,
    env: withoutEmpty(outer.env),
    write: (text) => outer.write(breakLogCommands(mask(text))),
    writeError: (text) => outer.writeError(breakLogCommands(mask(text))),
    writeEvent: (event) => outer.write(breakLogCommands(renderEvent(event, mask))),
    mask,
    isSecret: (value) =>
      [...secrets].some(
        (secret) => secret !== "" && (value === secret || (secret.length >= 8 && value.includes(secret))),
      ),
    keepSecret: (secret) => {
      secrets.add(secret);
      // Names are printed in their normal form.
      secrets.add(secret.toLowerCase());
      for (const spelt of [secret, secret.toLowerCase()]) keepPublicIn(spelt);
    },
    keepFormerSecret: (value, beginning) => {
      if (secrets.has(value)) return;
      secrets.add(value);
      if (value.startsWith(beginning)) publicLengths.set(value, beginning.length);
      keepPublicIn(value);
    },
    keepPublic: (manifest) => {
      publicTexts.push(manifest, manifest.toLowerCase());
      for (const secret of secrets) keepPublicIn(secret);
    },
  };
}

/** The environment without `HOSTFORM_*` variables that are empty: CI systems set a variable that was not given to an empty text. */
const withoutEmpty = (env: OuterIo["env"]): OuterIo["env"] =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== "" || !name.startsWith("HOSTFORM_")));
