import { writeFileSync } from "node:fs";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventsOf, runHostform } from "../support/run-hostform.ts";
import { missing, startNsd, type Zones } from "./name-servers.ts";

const folderWith = (manifest: string): string => {
  const folder = mkdtempSync(join(tmpdir(), "hostform-verify-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "hosting.yaml"), manifest);
  return join(folder, "hosting.yaml");
};

async function served(zones: Zones) {
  const server = await startNsd(zones);
  onTestFinished(server.stop);
  return server;
}

/** Runs the built binary, without an API key, against one server. */
const verify = (manifest: string, place: string, ...flags: string[]) =>
  runHostform(["verify", "-f", folderWith(manifest), "--resolver", place, "--timeout", "0", ...flags]);

const manifest = `
version: 1
name: shop
dns:
  shop.example:
    ttl: 300
    records:
      "@": { A: 192.0.2.10, MX: { priority: 10, value: mx.shop.example. }, TXT: v=spf1 mx -all }
      mx: { A: 192.0.2.11 }
      www: { CNAME: shop.example. }
`;

const head = "$TTL 300\n@ SOA ns.shop.example. host.shop.example. 7 1 1 1 1\n@ NS ns\nns A 127.0.0.1\n";
const zone = `${head}@ A 192.0.2.10
@ MX 10 mx
@ TXT "v=spf1 " "mx -all"
mx A 192.0.2.11
www CNAME @
`;

describe.skipIf(missing !== undefined)(`verify at nsd (${missing ?? "asked"})`, () => {
  test("ends with 0 where the server answers as declared, without an API key", async () => {
    const { place } = await served({ "shop.example": zone });
    const ran = await verify(manifest, place);
    expect(ran).toMatchObject({ status: 0, stderr: "", stdout: "Verified: 6 answers as declared.\n" });
  });

  test("ends with 2, and says what differs at which server and at which serial", async () => {
    const { place } = await served({ "shop.example": zone.replace("@ A 192.0.2.10", "@ A 198.51.100.7") });
    const ran = await verify(manifest, place, "--json");
    expect(ran.status).toBe(2);
    expect(eventsOf(ran).slice(1)).toEqual([
      {
        type: "mismatch",
        mismatch: "differs",
        address: "dns_record/shop.example/@/A",
        server: place,
        serial: 7,
        asked: "shop.example A",
        expected: ["192.0.2.10"],
        answered: ["198.51.100.7"],
      },
      { type: "verification", matches: 5, differs: 1, silent: 0, nobody: 0 },
    ]);
  });

  test("ends with 6 where nobody answers", async () => {
    const server = await startNsd({ "shop.example": zone });
    await server.stop();
    const ran = await verify(manifest, server.place);
    expect(ran.status).toBe(6);
    expect(ran.stdout).toContain("ECONNREFUSED");
  });
});
