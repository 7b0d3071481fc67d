// The parts of dns-packet that its types leave out.

export {};

declare module "dns-packet" {
  interface DecodedPacket {
    /** Such as `NXDOMAIN`. */
    readonly rcode: string;
  }

  /** Returns the codec of the data of a type. It writes names in full, and the length in two bytes before the data. */
  export function record(type: string): { readonly encode: (data: unknown) => Buffer };
}
