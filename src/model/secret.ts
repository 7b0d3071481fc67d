import type { Json } from "./json.ts";

const masked = "(sensitive)";

/** A value that must not be shown: it is not `Json`, so nothing that prints, hashes or saves takes it, and as text it is a mask. */
class Secret {
  readonly #clear: Json;

  constructor(clear: Json) {
    this.#clear = clear;
  }

  static open(secret: Secret): Json {
    return secret.#clear;
  }

  toString(): string {
    return masked;
  }

  toJSON(): string {
    return masked;
  }
}

export type { Secret };

export const sealSecret = (clear: Json): Secret => new Secret(clear);

/** Takes the value out of a secret. `scripts/layers.mjs` names the files that may import this module. */
export const openSecret = (secret: Secret): Json => Secret.open(secret);
