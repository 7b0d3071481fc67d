// The parts of dns-packet that its types leave out.

import type { Buffer } from "node:buffer";

declare module "dns-packet" {
  interface DecodedPacket {
    /** Such as `NXDOMAIN`. */
    readonly rcode: string;
  }

  /** Reads a name at an offset; `bytes` is then how many bytes it has there. */
  export const name: { readonly decode: ((bytes: Buffer, offset: number) => string) & { readonly bytes: number } };

  /** Returns the codec of the data of a type, with its length in two bytes before it. It writes names in full. */
  export function record(type: string): {
    readonly decode: (bytes: Buffer, offset: number) => unknown;
    readonly encode: (data: unknown) => Buffer;
  };
}
