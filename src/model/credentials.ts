import type { Json } from "./json.ts";
import { isObject } from "./json-pointer.ts";

/** Returns whether any text in a value passes the test or is a private key, or stands under a key that names a secret. */
export function holdsCredentials(value: Json, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value) || privateKey.test(value);
  if (Array.isArray(value)) return value.some((each) => holdsCredentials(each, test));
  return (
    isObject(value) && Object.entries(value).some(([key, each]) => namesSecret(key) || holdsCredentials(each, test))
  );
}

/** Returns whether a value holds a secret that `mask` masks. A number of few digits may equal a short secret by chance. */
export function holdsKnownSecret(value: Json, mask: (text: string) => string): boolean {
  const text = JSON.stringify(value);
  return !(typeof value === "number" && value < 100_000) && mask(text) !== text;
}

/** Returns whether the name of a field says that its value is secret. */
export const namesSecret = (key: string): boolean => secretKey.test(key);

const privateKey = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/u;
const secretKey = /pass(word|wd|phrase)?$|secret|token|private_?key|auth_?code|api_?key/iu;

// Rather too many than too few: what is taken for a credential is only not compared. Repetitions are bounded, so that no text is slow.
const credentials: readonly RegExp[] = [
  /:\/\/(?:[^\s/@]{1,200}|[^\s/:@]{1,100}:[^\s@]{1,200})@/u, // https://user:password@host
  /[?&][^\s=&#]{1,200}=/u, // https://host/run?token=…
  /(pass[a-z_-]{0,20}|pwd|secret[a-z_-]{0,20}|token|bearer|authori[sz]ation|cookie|credentials?)["']?\s{0,4}[=:\s]/iu,
  /(key|auth|sig|signature)["']?\s{0,4}[=:]/iu,
  /\s-p[^\s-]/u, // mysqldump -pPASSWORD
  /\s(-[uU]|--user)[\s=]{0,4}[^\s:]{1,200}[:,%]/u, // curl -u user:password, lftp -u user,password, smbclient -U user%password
  /\s(-H|--header)[\s=]{0,4}["']?x-[\w-]{0,60}:/iu, // curl -H x-api:…
  /\b(mysql|mariadb|redis-cli|sshpass|openssl|ncftp|ldap)[^\n]{0,500}?\s-[apkwW][\s=]{0,4}["']?[^\s-]/u, // redis-cli -a PASSWORD
];
const longWord = /[\w+=-]{20,}/gu;

/** Whether a text names a credential, such as `curl https://example.com/hook?token=…`. */
export const namesCredentials = (text: string): boolean => credentials.some((pattern) => pattern.test(text));

/** `php bin/backup.php` does not; what names a credential does, and so does any long word with digits in it. */
export const looksLikeCredentials = (text: string): boolean =>
  namesCredentials(text) || (text.match(longWord) ?? []).some((word) => /\d/u.test(word));
