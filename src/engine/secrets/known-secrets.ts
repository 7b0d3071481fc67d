import { publicLengthIn, redactor } from "./redact.ts";

/** The secrets of a run. */
export type KnownSecrets = Readonly<ReturnType<typeof knownSecrets>>;

/** Returns a register of secrets, empty at first, with a function that masks them in a text. */
export function knownSecrets() {
  const secrets = new Set<string>();
  const keys = new Set<string>();
  const publicLengths = new Map<string, number>();
  const mask = redactor(secrets, publicLengths);
  const publicTexts: string[] = [];
  const keepPublicIn = (secret: string, texts: readonly string[] = publicTexts) => {
    if (keys.has(secret)) return;
    // A manifest writes a text without the quotes that its record has.
    const quote = secret.startsWith('"') ? 1 : 0;
    const lengths = texts.map((text) => {
      const bare = publicLengthIn(text, secret.slice(quote));
      return bare === 0 ? 0 : bare + quote;
    });
    const length = Math.max(publicLengths.get(secret) ?? 0, ...lengths);
    if (length > 0) publicLengths.set(secret, length);
  };
  return {
    /** A text with those secrets masked, for what is written elsewhere. */
    mask,
    /** Whether a value is one of those secrets, or holds one of 8 characters or more. */
    isSecret: (value: string) =>
      [...secrets].some(
        (secret) => secret !== "" && (value === secret || (secret.length >= 8 && value.includes(secret))),
      ),
    /** Remembers a key of the API, which is masked even where a manifest writes the same text. */
    keepKey: (key: string) => {
      for (const written of spellingsOf(key)) {
        keys.add(written);
        secrets.add(written);
        publicLengths.delete(written);
      }
    },
    /** Remembers a secret, so that it is masked in whatever is printed from now on. */
    keepSecret: (secret: string) => {
      for (const written of spellingsOf(secret)) {
        // A manifest may name a variable any number of times.
        if (secrets.has(written)) continue;
        secrets.add(written);
        keepPublicIn(written);
      }
    },
    /** Remembers a live value that an earlier apply took from a secret. `beginning`: the text before the secret in it, which is public. */
    keepFormerSecret: (value: string, beginning: string) => {
      if (secrets.has(value)) return;
      secrets.add(value);
      if (value.startsWith(beginning)) publicLengths.set(value, beginning.length);
      keepPublicIn(value);
    },
    /** Remembers which beginnings of the secrets a manifest itself writes: they are no secret. */
    keepPublic: (manifest: string) => {
      const lower = manifest.toLowerCase();
      const texts = lower === manifest ? [manifest] : [manifest, lower];
      publicTexts.push(...texts);
      for (const secret of secrets) keepPublicIn(secret, texts);
    },
  };
}

/** Servers take away the white space around a value, and names are printed in their normal form. */
const spellingsOf = (secret: string): readonly string[] =>
  [secret, secret.trim()].flatMap((each) => [each, each.toLowerCase()]).filter((each) => each !== "");
