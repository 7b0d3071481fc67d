/** Shorter values would mask words that mean nothing; what is written from them is masked where it is known to be secret. */
const shortest = 6;

/**
 * A last net under what is printed: every secret that this run has read is masked, however it came into the text, such as by a server
 * that repeats what it was sent. `secrets` may grow meanwhile.
 */
export function redactor(secrets: ReadonlySet<string>): (text: string) => string {
  const formsOf = new Map<string, readonly string[]>();
  return (text) => {
    let masked = text;
    for (const secret of secrets) {
      if (secret.length < shortest) continue;
      const forms = formsOf.get(secret) ?? escapedForms(secret);
      formsOf.set(secret, forms);
      for (const form of forms) masked = masked.replaceAll(form, "(sensitive)");
    }
    return masked;
  };
}

function escapedForms(secret: string): readonly string[] {
  // In --json, and in quoted values, a secret stands with its quotes and line breaks escaped.
  const quoted = JSON.stringify(secret).slice(1, -1);
  // A server that repeats a JSON body inside a text of its JSON escapes it once more.
  const twice = JSON.stringify(quoted).slice(1, -1);
  const thrice = JSON.stringify(twice).slice(1, -1);
  return [...new Set([thrice, twice, quoted, secret])];
}
