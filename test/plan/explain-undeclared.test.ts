import { describe, expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { explain } from "../../src/plan/explain.ts";
import { plan } from "../../src/plan/plan.ts";
import { renderWhy } from "../../src/render/why-text.ts";
import { buildInput, inZone, ours, record, records, service } from "./build-input.ts";
import { plainPage } from "../support/plain-page.ts";
import { explained } from "./explained.ts";

describe("what no manifest declares", () => {
  const www = record("www", "A", "192.0.2.1");
  const address = "dns_record/example.com/www/A";
  const said = async (manifest: string, live = www) =>
    renderWhy(
      {
        explanation: explained(await buildInput(manifest, inZone(live)), address),
        declaration: undefined,
        hasErrors: false,
      },
      plainPage,
    );

  test.each([
    [
      "is left alone",
      "dns: { example.com: { records: { x: { A: 192.0.2.1 } } } }",
      "is not exclusive, so it is left alone",
    ],
    [
      "goes where its collection is exclusive",
      "dns: { example.com: { exclusive: true } }",
      "is exclusive (m.yaml:3), so it is deleted",
    ],
    [
      "stays where ignore names it",
      'dns: { example.com: { exclusive: true, ignore: ["w*"] } }',
      'ignore: "w*" names it',
    ],
    [
      "goes where removed: says so",
      `dns: { example.com: }\nremoved: [{ address: ${address}, action: delete }]`,
      "to be deleted",
    ],
    [
      "is forgotten where removed: says so",
      `dns: { example.com: }\nremoved: [{ address: ${address}, action: forget }]`,
      "to be forgotten",
    ],
  ])("%s, and that is said", async (_, manifest, words) => {
    expect((await said(manifest)).replaceAll(/\s+/gu, " ")).toContain(words);
  });

  test("is the platform's own where it is", async () => {
    expect(await said("dns: { example.com: { exclusive: true } }", { ...www, managed: true })).toContain(
      "the platform manages it",
    );
  });
});

test("nothing is said of what is neither declared nor live", async () => {
  const input = await buildInput(records("{ other: { A: 192.0.2.1 } }"), inZone());
  expect(explain(input, plan(input), "dns_record/example.com/x/A" as Address)).toBeUndefined();
});

test("a live name that the server has prefixed is found, with and without an inventory, as the plan finds it", async () => {
  const manifest =
    "services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: { engine: mariadb } } } }";
  const lists = {
    "/services": [service],
    "/databases?service_id=s1": [{ id: "b1", service_id: "s1", name: "u123_shop", engine: "mariadb" }],
  };
  const address = "database/example.com/shop";
  for (const ownership of [undefined, ours([address]).ownership]) {
    const input = await buildInput(manifest, lists, {}, undefined, ownership && { ownership });
    expect(plan(input).diagnostics).toMatchObject([{ code: "renamed_by_server" }]);
    expect(explained(input, address).live).toBe(true);
  }
});
