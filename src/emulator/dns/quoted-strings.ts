/** Returns the bytes of a text in quoted strings (RFC 1035 section 5.1); undefined for a text without quotes. */
export function readQuoted(content: string): Buffer | undefined {
  if (!/^\s*(?:"(?:[^"\\]|\\.)*"\s*)+$/su.test(content)) return undefined;
  const inner = [...content.matchAll(/"((?:[^"\\]|\\.)*)"/gsu)].map(([, text = ""]) => text);
  const pieces = inner.flatMap((text) => [...text.matchAll(/\\(\d{3})|\\(.)|([^\\]+)/gsu)]);
  return Buffer.concat(
    pieces.map(([, code, char, rest]) =>
      code === undefined ? Buffer.from(char ?? rest ?? "") : Buffer.of(Number(code)),
    ),
  );
}

/** Returns bytes as quoted strings of at most 255 bytes. */
export function quoteBytes(bytes: Buffer): string {
  const strings: string[] = [];
  for (let start = 0; start === 0 || start < bytes.length; start += 255)
    strings.push(`"${[...bytes.subarray(start, start + 255)].map(escapeByte).join("")}"`);
  return strings.join(" ");
}

function escapeByte(byte: number): string {
  if (byte < 0x20 || byte > 0x7e) return `\\${String(byte).padStart(3, "0")}`;
  const char = String.fromCharCode(byte);
  return char === '"' || char === "\\" ? `\\${char}` : char;
}
