import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toAddress } from "../../../src/model/address.ts";
import type { Resource } from "../../../src/model/resource.ts";
import { bodies, load, places, type Loaded } from "./load-templates.ts";
import { forDraws } from "../../support/for-draws.ts";

const unquoted = (text: string) => text.replaceAll(/["']/gu, "");

describe("a value from outside", () => {
  const text = `version: 1
name: agency
variables: { zone: { default: a.example }, ttl: { default: 300 }, ips: { type: list, default: [192.0.2.1] }, note: { type: string, default: x } }
templates:
  zone:
    parameters: { zone: }
    dns:
      "\${param:zone}": { ttl: "\${var:ttl}", records: { www: { A: "\${var:ips}", TXT: "a \${var:note}" } } }
use: [{ template: zone, with: { zone: "\${var:zone}" } }]
`;
  const zone = (loaded: Loaded) => bodies(loaded)["dns_record/a.example/www/TXT"];
  const mistakes = ({ errors }: Loaded) => places(errors);

  test("is taken from the command line, a file or the environment, in this order, and keeps its type", () => {
    const files = [{ file: "v.yaml", text: "ttl: 61\nips: [192.0.2.7, 192.0.2.8]\n" }];
    const env = { HOSTFORM_VAR_ttl: "62", HOSTFORM_VAR_NOTE: "from env", HOSTFORM_VAR_other: "y" };
    const all = load(text, { flags: ["ttl=60"], files, env });
    expect(all.errors).toEqual([]);
    expect(all.given).toEqual([
      { name: "ttl", value: 60, from: "--var ttl" },
      { name: "ips", value: ["192.0.2.7", "192.0.2.8"], from: "v.yaml:2" },
      { name: "note", value: "from env", from: "HOSTFORM_VAR_NOTE" },
    ]);
    expect(zone(all)).toMatchObject({
      fields: { ttl: { value: 60 } },
      members: [{ fields: { content: { value: '"a from env"' } } }],
    });
    expect(bodies(load(text, { flags: ["ips=[192.0.2.9]"] }))["dns_record/a.example/www/A"]).toMatchObject({
      members: [{ fields: { content: { value: "192.0.2.9" } } }],
    });
  });

  const numbers = fc.constantFrom(
    "1.20",
    "0x10",
    "0o17",
    "1e3",
    "+5",
    "007",
    "98765432109876543210",
    "60",
    ".5",
    ".inf",
  );
  const written = fc.oneof(numbers, fc.constantFrom("true", "True", "FALSE", "plain", '"007"', "'1.50'"));
  test("is shown as it is written, for as such it goes into texts", async () => {
    const typed = `version: 1
name: agency
variables: { number: { default: 1 }, list: { default: [a] }, any: {} }
dns: { a.example: { records: { www: { TXT: "\${var:list}" }, n: { TXT: "\${var:number}" }, x: { TXT: "\${var:any}" } } } }
`;
    const texts = (loaded: Loaded, name: string) => {
      const { members = [] } = (loaded.read?.desired.resources.get(
        toAddress("dns_record", ["a.example", name, "TXT"]),
      ) ?? {}) as Partial<Resource>;
      return members.map(({ fields }) => fields["content"]);
    };
    await forDraws(
      200,
      numbers,
      fc.uniqueArray(written, { minLength: 1, selector: unquoted }),
      written,
      (one, list, any) => {
        const files = [{ file: "v.yaml", text: `any: ${any}\n` }];
        const loaded = load(typed, { flags: [`number=${one}`, `list=[${list.join(", ")}]`], files });
        expect(loaded.errors).toEqual([]);
        const [number, items, other] = loaded.given.map(({ value }) => value);
        const known = (text: unknown) => ({ is: "known", value: `"${String(text)}"` });
        expect([[number], items, [other]]).toEqual([[expect.anything()], expect.any(Array), [expect.anything()]]);
        expect([texts(loaded, "n"), texts(loaded, "www"), texts(loaded, "x")]).toMatchObject([
          [known(number)],
          (items as unknown[]).map(known),
          [known(other)],
        ]);
      },
    );
  });

  test.each(["${env:HOME}", "$${env:HOME}", "$", "}", "${var:ttl}", "${param:zone}", "${each}"])(
    "is only text: %s",
    (value) => {
      const loaded = load(text, { flags: [`note=${value}`] });
      expect(mistakes(loaded)).toEqual([]);
      expect(loaded.given[0]?.value).toBe(value);
      expect(zone(loaded)).toMatchObject({
        members: [{ fields: { content: { is: "known", value: `"a ${value}"` } } }],
      });
    },
  );

  test.each([
    [["zone=b.example"], "outside_value_in_address a.yaml:8:7 < zone 9:19"],
    [["zone=a.example"], "outside_value_in_address a.yaml:8:7 < zone 9:19"],
    [["tll=60"], "unknown_given_variable"],
    [["ttl=x"], "wrong_type --var ttl:1:1"],
    [["ttl=60\nname: y"], "wrong_type --var ttl:1:1"],
    [["ips=[{ a: b }]"], "wrong_type --var ips:1:1"],
    [["ips=192.0.2.1"], "wrong_type --var ips:1:1"],
    [["ttl=60", "ttl=61"], "bad_variable"],
    [["ttl"], "bad_variable"],
    [["=60"], "bad_variable"],
  ])("%j is an error", (flags, place) => {
    expect(mistakes(load(text, { flags }))).toEqual([place]);
  });
});
