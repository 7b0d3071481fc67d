import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../../src/engine/session/input-error.ts";
import { keySource, readAccountKey } from "../../../src/fleet/file/account-key.ts";
import type { KeySource } from "../../../src/fleet/model.ts";
import { mistakeDiagnostics } from "../../../src/messages/mistakes.ts";
import { makeFolder } from "./fleet-folder.ts";

test.each([
  ["${env:HOSTFORM_API_KEY}", { env: "HOSTFORM_API_KEY" }],
  ["${env:KEY_${account}}", { env: "KEY_SHOPS_M_LLER_1" }],
  ["${exec:KEY_${owner}_${account}}", { exec: "KEY_AGENCY_A_SHOPS_M_LLER_1" }],
  ["${file:keys/${owner}/${account}.key}", { file: "keys/agency-a/shops/müller-1.key" }],
  ["secret", undefined],
  ["x${env:A}", undefined],
  ["${env:}", undefined],
  ["${env:a b}", undefined],
  ["${env:KEY_${name}}", undefined],
  ["${ref:domain/a.id}", undefined],
])("the key %s of an account comes from %j", (text, source) => {
  expect(keySource(text, { name: "shops/müller-1", owner: "agency-a" })).toEqual(source);
});

async function read(source: KeySource, folder: string, env = {}, allowFile: readonly string[] = []) {
  const kept: string[] = [];
  const host = {
    env,
    keepKey: (key: string) => kept.push(key),
    keepSecret: () => undefined,
    mask: (text: string) => text,
  };
  try {
    return { key: await readAccountKey(source, { folder, allowFile }, host), kept };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return mistakeDiagnostics(error.mistake).map(({ code, summary }) => `${code}: ${summary}`);
  }
}

test("a key is read from a variable, a private file or an allowed command, and is masked from then on", async () => {
  const folder = makeFolder({ "keys/a": "in-the-file\n" });
  chmodSync(join(folder, "keys/a"), 0o600);
  const env = { KEY_A: "in-the-variable", HOSTFORM_EXEC_KEY_A: "echo from-the-command" };
  for (const [source, key] of [
    [{ env: "KEY_A" }, "in-the-variable"],
    [{ file: "keys/a" }, "in-the-file"],
    [{ exec: "KEY_A" }, "from-the-command"],
  ] as const)
    expect(await read(source, folder, env)).toEqual({ key, kept: expect.arrayContaining([key]) });
});

test("a key is refused that is not there, that others may read, that lies elsewhere, or whose command is not allowed", async () => {
  const folder = makeFolder({ "keys/a": "key" });
  const outside = makeFolder({ key: "foreign" });
  chmodSync(join(folder, "keys/a"), 0o644);
  chmodSync(join(outside, "key"), 0o600);
  symlinkSync(join(outside, "key"), join(folder, "keys/link"));
  expect(await read({ env: "KEY_A" }, folder)).toEqual([
    "no_account_key: The key ${env:KEY_A} cannot be read: the variable KEY_A is not set",
  ]);
  expect(await read({ file: "keys/a" }, folder)).toEqual([
    `open_key_file: The key file ${join(folder, "keys/a")} can be read by others (mode 644)`,
  ]);
  for (const file of ["keys/link", "../x/../key", join(outside, "key")])
    expect(await read({ file }, folder)).toEqual([expect.stringMatching(/^no_account_key: /u)]);
  expect(await read({ file: join(outside, "key") }, folder, {}, [outside])).toMatchObject({ key: "foreign" });
  expect(await read({ exec: "KEY_A" }, folder)).toEqual([
    "no_account_key: The key ${exec:KEY_A} cannot be read: this runner allows no command KEY_A",
  ]);
});
