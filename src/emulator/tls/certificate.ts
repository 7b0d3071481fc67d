import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { isIP, isIPv4 } from "node:net";
import { expandIpv6 } from "../dns/octets.ts";
import * as der from "./der.ts";

/** PEM texts: a server certificate with its key, and the authority that vouches for it. */
export interface ServerIdentity {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

const dayMs = 24 * 60 * 60 * 1000;

const ecdsaWithSha256 = der.sequence(der.oid("1.2.840.10045.4.3.2"));

/**
 * Makes an authority and, signed by it, a server certificate for the hosts (names and IP addresses), both valid for a
 * year. The authority's private key is dropped: nothing else can be signed by what a user is asked to trust.
 * EC P-256, because two RSA keys take 90 to 340 ms to make and two of these take 0.4 ms.
 */
export function makeServerIdentity(
  hosts: readonly string[],
  now: number,
  random: (bytes: number) => Uint8Array,
): ServerIdentity {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const server = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name: `Hostform emulator CA ${Buffer.from(random(4)).toString("hex")}`, ...authority };
  const make = (subject: { name: string; publicKey: KeyObject }, extensions: readonly Buffer[]): string =>
    signCertificate({ issuer, subject, extensions, serial: random(16), now });
  return {
    ca: make(issuer, [basicConstraints(true), keyUsage(5, 6)]),
    cert: make({ name: hosts[0] ?? "localhost", publicKey: server.publicKey }, [
      basicConstraints(false),
      keyUsage(0),
      serverAuth,
      alternativeNames(hosts),
    ]),
    key: server.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

interface CertificateRequest {
  readonly issuer: { readonly name: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly subject: { readonly name: string; readonly publicKey: KeyObject };
  readonly extensions: readonly Buffer[];
  readonly serial: Uint8Array;
  readonly now: number;
}

/** RFC 5280, section 4.1. */
function signCertificate({ issuer, subject, extensions, serial, now }: CertificateRequest): string {
  const identifiers = [
    extension("2.5.29.14", false, der.octets(keyIdentifier(subject.publicKey))),
    extension("2.5.29.35", false, der.sequence(der.implicit(0, keyIdentifier(issuer.publicKey)))),
  ];
  const body = der.sequence(
    der.explicit(0, der.integer(Buffer.of(2))),
    der.integer(Buffer.concat([Buffer.of(1), serial])),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    der.sequence(der.time(now - dayMs), der.time(now + 365 * dayMs)),
    distinguishedName(subject.name),
    publicKeyInfo(subject.publicKey),
    der.explicit(3, der.sequence(...extensions, ...identifiers)),
  );
  const signature = sign("sha256", body, issuer.privateKey);
  return toPem(der.sequence(body, ecdsaWithSha256, der.bits(signature)));
}

const publicKeyInfo = (key: KeyObject): Buffer => key.export({ type: "spki", format: "der" });

const keyIdentifier = (key: KeyObject): Buffer =>
  createHash("sha256").update(publicKeyInfo(key)).digest().subarray(0, 20);

const distinguishedName = (name: string): Buffer =>
  der.sequence(der.set(der.sequence(der.oid("2.5.4.3"), der.utf8(name.slice(0, 64)))));

const extension = (id: string, critical: boolean, value: Buffer): Buffer =>
  der.sequence(der.oid(id), ...(critical ? [der.boolean(true)] : []), der.octets(value));

const basicConstraints = (isAuthority: boolean): Buffer =>
  extension("2.5.29.19", true, der.sequence(...(isAuthority ? [der.boolean(true)] : [])));

/** Bits of KeyUsage: 0 digitalSignature, 5 keyCertSign, 6 cRLSign. */
const keyUsage = (...bits: readonly number[]): Buffer => extension("2.5.29.15", true, der.bitFlags(...bits));

const serverAuth = extension("2.5.29.37", false, der.sequence(der.oid("1.3.6.1.5.5.7.3.1")));

const alternativeNames = (hosts: readonly string[]): Buffer =>
  extension(
    "2.5.29.17",
    false,
    der.sequence(
      ...hosts.map((host) => (isIP(host) ? der.implicit(7, ipBytes(host)) : der.implicit(2, Buffer.from(host)))),
    ),
  );

const ipBytes = (address: string): Buffer =>
  isIPv4(address) ? Buffer.from(address.split(".").map(Number)) : Buffer.from(expandIpv6(address).join(""), "hex");

const toPem = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${(bytes.toString("base64").match(/.{1,64}/g) ?? []).join("\n")}\n-----END CERTIFICATE-----\n`;
