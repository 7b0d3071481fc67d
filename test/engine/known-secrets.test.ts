import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { secretReader } from "../../src/manifest/read/secrets.ts";
import { knownSecrets } from "../../src/engine/secrets/known-secrets.ts";
import { forDraws } from "../support/for-draws.ts";
import { folderForTest } from "../support/temporary-folder.ts";

test("any text is taken for a secret beside any manifest, the empty one and a lone quote too, and all masking ends", async () => {
  const text = fc.oneof(
    fc.constantFrom("", '"', "\n", " ", '""'),
    fc.string({ unit: fc.constantFrom(...Array.from('" \n\\ab%')) }),
  );
  await forDraws({}, fc.array(text, { maxLength: 3 }), text, text, (secrets, manifest, printed) => {
    for (const isManifestFirst of [true, false]) {
      const { keepSecret, keepFormerSecret, keepPublic, mask } = knownSecrets();
      if (isManifestFirst) keepPublic(manifest);
      for (const secret of secrets) keepSecret(secret);
      for (const secret of secrets) keepFormerSecret(secret, manifest);
      keepPublic(manifest);
      expect(typeof mask(printed)).toBe("string");
    }
  });
});

test("an empty variable or file is not a secret: CI systems set variables that they do not have", () => {
  const folder = folderForTest();
  writeFileSync(join(folder, "pw"), "\n");
  const read = secretReader({ PW: "" }, folder, () => expect.fail("an empty text was taken for a secret"));
  expect(read({ env: "PW" })).toEqual({ missing: "the variable PW is set, but empty", source: "PW" });
  expect(read({ file: "pw" })).toEqual({ missing: "the file pw is empty", source: "pw" });
});
