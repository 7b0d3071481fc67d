import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { recordTypeOf } from "../../src/kinds/dns/record-content.ts";
import { normaliseTimestamp, spellTimestamp } from "../../src/kinds/shared/timestamp.ts";
import { jsonText } from "../../src/model/json.ts";
import { plan } from "../../src/plan/plan.ts";
import { buildInput } from "../plan/build-input.ts";
import { forDraws } from "../support/for-draws.ts";

const digest = "0123456789abcdef".repeat(4);
/** Contents in presentation form, as an API takes them, whose letters may be of either case. */
const contents = {
  AAAA: "2001:db8::10",
  ALIAS: "www.example.net.",
  CNAME: "www.example.net.",
  DS: `12345 13 2 ${digest}`,
  NAPTR: '100 10 "u" "e2u+sip" "!^.*$!sip:info@example.com!" .',
  NS: "ns1.example.net.",
  PTR: "host.example.net.",
  SSHFP: `4 2 ${digest}`,
  TLSA: `3 1 1 ${digest}`,
  TXT: '"v=spf1 " "-all" ""',
} as const;

async function sentFor(type: string, written: unknown): Promise<{ sent: string; value: string }> {
  const manifest = stringify({ dns: { "example.com": { records: { name: { [type]: written } } } } });
  const { steps } = plan(await buildInput(manifest, {}));
  const [call] = steps.find(({ address }) => address.startsWith("dns_record/"))?.calls ?? [];
  const content = call?.operation === "create" ? call.values.find(({ field }) => field === "content") : undefined;
  if (!content || !("value" in content)) throw new Error("no content is sent");
  return { sent: jsonText(content.sent ?? content.value), value: jsonText(content.value) };
}

describe("the content of a record", () => {
  test("is sent as it is written where it is in presentation form, and compared in its normal form", async () => {
    const type = fc.constantFrom(...(Object.keys(contents) as (keyof typeof contents)[]));
    await forDraws(150, type, fc.infiniteStream(fc.boolean()), async (drawn, upper) => {
      const text = contents[drawn]
        .split("")
        .map((letter) => (upper.next().value === true ? letter.toUpperCase() : letter))
        .join("");
      const { sent, value } = await sentFor(drawn, text);
      expect(sent).toBe(text);
      expect(value).toBe(recordTypeOf(drawn).normalise(text, "example.com"));
    });
  });

  test.each([
    ["a text without quotes", "TXT", "v=spf1 -all", '"v=spf1 -all"'],
    ["an empty text", "TXT", "", '""'],
    ["a string that is too long", "TXT", `"${"x".repeat(300)}"`, `"${"x".repeat(255)}" "${"x".repeat(45)}"`],
    ["a name without its final dot", "CNAME", "WWW.Example.net", "WWW.Example.net."],
    ["a name of other letters", "CNAME", "München.example.", "xn--mnchen-3ya.example."],
    ["the apex", "ALIAS", "@", "example.com."],
    ["blanks between words", "DS", `12345  13 2 ${digest}`, `12345 13 2 ${digest}`],
    ["fields", "CAA", { tag: "Issue", value: 'CA.example; a="1"' }, String.raw`0 Issue "CA.example; a=\"1\""`],
  ])("is brought into the form that the API takes: %s", async (_, type, written, expected) => {
    expect((await sentFor(type, written)).sent).toBe(expected);
  });

  test("cannot be empty for other types than texts", async () => {
    await expect(sentFor("A", "")).rejects.toThrow(/text that is not empty/u);
    await expect(sentFor("CNAME", "")).rejects.toThrow(/text that is not empty/u);
  });
});

describe("a list whose order means nothing", () => {
  test.each([
    ["domains: { example.com: { nameservers: [NS2.host.test., ns1.host.test, ns2.host.test] } }", "nameservers"],
    [
      "domains: { example.com: }\nmail: { example.com: { aliases: { a: { destinations: [NS2@host.test, ns1@host.test, ns2@host.test] } } } }",
      "destinations",
    ],
  ])("is sent in its written order, each item once: %s", async (manifest, field) => {
    const { steps } = plan(await buildInput(manifest, { "/domains": [{ id: "d1", name: "example.com" }] }));
    const [call] = steps[0]?.calls ?? [];
    const sent = call && "values" in call ? call.values?.find((each) => each.field === field) : undefined;
    if (!sent || !("value" in sent)) throw new Error("nothing is sent");
    const items = (list: unknown) => (list as string[]).map((each) => each.replace("@", "."));
    expect(items(sent.sent)).toEqual(["NS2.host.test", "ns1.host.test"]);
    expect(items(sent.value)).toEqual(["ns1.host.test", "ns2.host.test"]);
  });
});

test.each([
  ["2027-01-07T10:00:00+01:00", "2027-01-07T10:00:00+01:00"],
  ["2027-01-07t10:00:00z", "2027-01-07t10:00:00z"],
  ["2027-01-07 10:00Z", "2027-01-07T10:00:00Z"],
  ["2027-01-07", "2027-01-07T00:00:00Z"],
  [null, null],
])("the time %s is sent as %s: as it is written, if RFC 3339 has that form", (written, sent) => {
  expect(spellTimestamp(written, normaliseTimestamp(written, {}))).toBe(sent);
});
