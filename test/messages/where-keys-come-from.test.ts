import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../repository/workplace.ts";

test("each advice on the API key names all places that it may come from", () => {
  const texts = ["cli", "messages", "render"].flatMap((folder) =>
    readdirSync(join(root, "src", folder), { encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => readFileSync(join(root, "src", folder, file), "utf8").split("\n")),
  );
  const advice = texts.filter((text) => /\b(?:check|set|put) HOSTFORM_API_KEY/iu.test(text));
  expect(advice.length).toBeGreaterThan(3);
  for (const text of advice) {
    expect(text).toContain("HOSTFORM_KEY_FILE");
    expect(text).toContain("--key-file");
  }
});
