/** Returns a word as a POSIX shell takes it. */
export const quoted = (text: string) =>
  /^[\w.@/%+=:,-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
