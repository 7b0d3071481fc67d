import { describe, expect, test } from "vitest";
import { dataOf, inZone, loadBody } from "../load-text.ts";
import { acceptedBodies } from "./accepted-bodies.ts";

describe("a manifest that is as the schema says", () => {
  test.each(acceptedBodies)("has no diagnostics: %s", async (_, body) => {
    expect((await loadBody(body)).diagnostics).toEqual([]);
  });

  test("keeps the source text of plain scalars where a text is wanted, and numbers where numbers are", async () => {
    const loaded = await loadBody(
      `services: {example.com: {settings: {php_version: 8.10}}}\n${inZone("a: {TXT: [19, 0x1F, true, {value: 1e3, comment: on}]}\nb: {MX: {priority: 010, value: a.}}")}`,
    );
    expect(loaded.diagnostics).toEqual([]);
    expect(dataOf(loaded)).toMatchObject({
      services: { "example.com": { settings: { php_version: "8.10" } } },
      dns: {
        "example.com": {
          records: { a: { TXT: ["19", "0x1F", "true", { value: "1e3", comment: "on" }] }, b: { MX: { priority: 10 } } },
        },
      },
    });
  });
});
