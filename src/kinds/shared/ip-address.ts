import { isIPv4, isIPv6 } from "node:net";
import type { ContentField } from "./content-fields.ts";

export const ipv4: ContentField = {
  normalise: (text) => text,
  check: (text) => (isIPv4(text) ? undefined : "an IPv4 address, such as 192.0.2.10"),
};

export const ipv6: ContentField = {
  normalise: (text) => (isIPv6(text) ? compressIPv6(text) : text),
  check: (text) => {
    if (!isIPv6(text)) return "an IPv6 address, such as 2001:db8::10";
    return text.includes("%")
      ? "an IPv6 address without a zone index (%…), which means something on one machine only"
      : undefined;
  },
};

/** An IPv6 address as RFC 5952 has it, which is how the URL parser writes it; a zone index stays. */
export function compressIPv6(text: string): string {
  const [address = "", ...zoneIndex] = text.split("%");
  return [new URL(`http://[${address}]/`).hostname.slice(1, -1), ...zoneIndex].join("%");
}
