import fc from "fast-check";
import { expect, test } from "vitest";
import { chooseTarget, inventoryTarget } from "../../../src/engine/session/choose-target.ts";
import { targetKey } from "../../../src/state/inventory/target-key.ts";
import { forDraws } from "../../support/for-draws.ts";

/** The key of the inventory, the lease and the journal of a target. */
async function keyOf(baseUrl: string): Promise<string> {
  const options = { baseUrl, emulator: false };
  const chosen = await chooseTarget(options, {}, {});
  const target = inventoryTarget("agency", chosen, options);
  if (!target) throw new Error("A real target has an inventory");
  return targetKey(target);
}

const path = fc
  .array(fc.constantFrom("api", "v1", "a%20b", ""), { maxLength: 3 })
  .map((parts) => parts.map((part) => `/${part}`).join(""));

test("each spelling of a base URL that leads to the same requests has the same inventory, lease and journal", () =>
  forDraws(100, path, fc.constantFrom("", "/", "//"), fc.constantFrom("", ":443"), async (written, end, port) => {
    const plain = written.replace(/\/+$/u, "");
    expect(await keyOf(`HTTPS://H.example${port}${plain}${end}`)).toBe(await keyOf(`https://h.example${plain}`));
  }));

test("a base URL with another path has another inventory", async () => {
  const keys = ["https://h.example", "https://h.example/api", "https://h.example//api", "https://h.example/api/v1"];
  expect(new Set(await Promise.all(keys.map(keyOf))).size).toBe(keys.length);
});
