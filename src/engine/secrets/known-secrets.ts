import { publicLengthIn, redactor } from "./redact.ts";

/** The secrets of a run. */
export interface KnownSecrets {
  /** Remembers a key of the API, which is masked even where a manifest writes the same text. */
  readonly keepKey: (key: string) => void;
  /** Remembers a secret, so that it is masked in whatever is printed from now on. */
  readonly keepSecret: (secret: string) => void;
  /** Whether a value is one of those secrets, or holds one of 8 characters or more. */
  readonly isSecret: (value: string) => boolean;
  /** Remembers a live value that an earlier apply took from a secret. `beginning`: the text before the secret in it, which is public. */
  readonly keepFormerSecret: (value: string, beginning: string) => void;
  /** Remembers which beginnings of the secrets a manifest itself writes: they are no secret. */
  readonly keepPublic: (manifest: string) => void;
  /** A text with those secrets masked, for what is written elsewhere. */
  readonly mask: (text: string) => string;
}

/** Returns a register of secrets, empty at first, with a function that masks them in a text. */
export function knownSecrets(): KnownSecrets {
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
    mask,
    isSecret: (value) =>
      [...secrets].some(
        (secret) => secret !== "" && (value === secret || (secret.length >= 8 && value.includes(secret))),
      ),
    keepKey: (key) => {
      for (const written of spellingsOf(key)) {
        keys.add(written);
        secrets.add(written);
        publicLengths.delete(written);
      }
    },
    keepSecret: (secret) => {
      for (const written of spellingsOf(secret)) {
        // A manifest may name a variable any number of times.
        if (secrets.has(written)) continue;
        secrets.add(written);
        keepPublicIn(written);
      }
    },
    keepFormerSecret: (value, beginning) => {
      if (secrets.has(value)) return;
      secrets.add(value);
      if (value.startsWith(beginning)) publicLengths.set(value, beginning.length);
      keepPublicIn(value);
    },
    keepPublic: (manifest) => {
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
