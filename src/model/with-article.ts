/** Returns a noun with "a" or "an"; the types of DNS records are spoken letter by letter, as in "an MX record". */
export const withArticle = (noun: string): string =>
  `${/^(?:[aeio]|[AEFHILMNORSX](?![a-z]))/u.test(noun) ? "an" : "a"} ${noun}`;
