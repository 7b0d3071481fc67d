import { shorten } from "../../lib/shorten.ts";
import leven from "leven";

// `transfer` holds an auth_code, and people write it without one.
const names = ["password", "authcode", "privatekey", "transfer"];
const telling = /pass(wo?r?d|wort|phrase)?$|secret|token|(^|api|[_-])key$/u;

/**
 * Whether what stands under a key must never be shown: `password`, `auth_code`, `private_key`, what is nearly one of them (a
 * misspelled key is the very thing that a diagnostic shows), and what people call secrets elsewhere.
 */
export function isSecretKey(key: string): boolean {
  if (key.length > 40 || key.includes(".")) return false;
  const lower = key.toLowerCase();
  const bare = lower.replaceAll(/[^a-z]/gu, "");
  return telling.test(lower) || names.some((name) => leven(bare, name, { maxDistance: 3 }) <= 2);
}

/** Whether what is written under a secret key, without quotes, holds nothing secret. A number may be one: a code of digits alone. */
export const isHarmless = (written: string): boolean => /^(?:true|false|null|~)$/iu.test(written);

/** A key as it may be shown: where the blank after the colon was forgotten, YAML takes `password:value` for a key. */
export function shownKey(key: string, isSecret = isSecretKey): string {
  const [, name] = /^([\w-]+):./u.exec(key) ?? [];
  if (name !== undefined && isSecret(name)) return `${name}:(sensitive)`;
  return shorten(key, 60);
}
