import fc from "fast-check";

/**
 * Any character of Unicode, as the unit of drawn strings. The library's own unit `binary` makes a table of all 1,112,064 of them in each
 * worker first, to find the index of a character again: 0.7 s, and 100 MB that each collection of garbage goes through.
 */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((code) => String.fromCodePoint(code < 0xd800 ? code : code + 0x800));

const segment = fc.string({
  unit: fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@".split(""), "%2F", "%C3%A9"),
  maxLength: 8,
});

/** A URL with a path, a query and a fragment. Those of the library make the same table. */
export const anyUrl = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.array(segment, { maxLength: 3 }), segment, segment)
  .map(([scheme, host, path, query, fragment]) => `${scheme}://${host}${["", ...path].join("/")}?${query}#${fragment}`);
