/** The headers of an answer; a name may be given as the contract spells it. */
export type Header = (name: string | undefined) => string | undefined;

/** Larger answers are refused: 64 MiB holds a hundred full pages. */
const maxBytes = 64 * 1024 * 1024;

/** The text of an answer, or why it is not read to its end. */
export async function readText(
  stream: AsyncIterable<Uint8Array>,
  length: string | undefined,
): Promise<{ readonly text: string } | { readonly tooLarge: string }> {
  const chunks: Uint8Array[] = [];
  let bytes = Number(length) > maxBytes ? Number(length) : 0;
  // Leaving the loop closes the stream.
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) break;
    chunks.push(chunk);
  }
  return bytes > maxBytes
    ? { tooLarge: `the answer is larger than ${maxBytes / 1024 / 1024} MiB` }
    : { text: Buffer.concat(chunks).toString("utf8") };
}

const shownChars = 80;

/** What came instead of JSON: often the page of a proxy, or of a login. */
export function describePage(text: string): string {
  const title = /<title[^>]*>([^<]*)/iu.exec(text.slice(0, 10_000))?.[1]?.trim() ?? "";
  const start = text.trim().slice(0, shownChars).replaceAll(/\s+/gu, " ");
  if (/^\s*<(!doctype html|html)/iu.test(text)) {
    const named = title === "" ? "" : ` titled "${title.slice(0, shownChars)}"`;
    return `the answer is a page${named} instead of JSON: something stands between, or the base URL leads elsewhere`;
  }
  return `the answer is not JSON, and begins: ${start}`;
}
