import fc from "fast-check";

/** Texts that end what they stand in, or that a page would run or load. */
export const hostile = [
  "\"'>",
  "</code></td></details>",
  "</title></style></script>",
  "<script>alert(1)</script>",
  '<img src="https://evil.example/x" onerror="alert(2)">',
  "<a href=javascript:alert(3)>",
  "<!--",
  "]]>",
  "&lt;&#39;",
  "${alert(4)}",
  "\n",
  "\u202e\u0000",
  "x",
];

export const hostileText = fc
  .array(fc.constantFrom(...hostile), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(""));

/** Returns a harmless text that may stand in an address where a hostile one may, and not where that may not. */
export const harmlessLike = (text: string): "y" | "y y" => (/^x+$/u.test(text) ? "y" : "y y");

/** Returns the tags of a page with the names of their attributes, less those that mark what differs. */
export const tagsOf = (page: string) =>
  (page.replaceAll(/<(style|script)>.*?<\/\1>/gsu, "").match(/<[^>]*>/gu) ?? [])
    .map((tag) => tag.replaceAll(/="[^"]*"/gu, ""))
    .filter((tag) => !/^<\/?mark>$/u.test(tag));
