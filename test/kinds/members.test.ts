import { describe, expect, test } from "vitest";
import { parentsOf } from "../../src/kinds/derived/parents.ts";
import { whyNotRetried } from "../../src/kinds/derived/repeatable.ts";
import { dnsRecord } from "../../src/kinds/dns_record.ts";
import { domain } from "../../src/kinds/domain.ts";
import { kindNamed } from "../../src/kinds/index.ts";
import { normaliseBoolean } from "../../src/kinds/shared/normal-forms.ts";
import type { BodyValue } from "../../src/model/http-call.ts";
import { sealSecret } from "../../src/model/secret.ts";

describe("a truth value", () => {
  test.each([
    [true, ["true", "TRUE", " Yes ", "On", "1", 1, true]],
    [false, ["false", "False", " NO ", "OFF", "0", 0, false]],
  ])("is %s in any spelling", (truth, words) => {
    expect(words.map(normaliseBoolean)).toEqual(words.map(() => truth));
  });

  test("is not any other value, which stays as it is", () => {
    const others = ["maybe", "", "2", 2, null, [], "truefalse"];
    expect(others.map(normaliseBoolean)).toEqual(others);
  });
});

test("an empty comment counts as none", () => {
  const normalise = dnsRecord.fields["comment"]?.normalise;
  expect(["", "x", null, 1].map((text) => normalise?.(text, {}))).toEqual([null, "x", null, "1"]);
});

describe("a creation is not sent a second time", () => {
  const why = (name: string, ...values: BodyValue[]) =>
    whyNotRetried(kindNamed(name), {
      operation: "create",
      method: "POST",
      path: "/",
      params: {},
      query: {},
      base: {},
      values,
    });
  const name: BodyValue = { pointer: "/name", field: "name", value: "example.com" };
  const code: BodyValue = { pointer: "/auth_code", field: "auth_code", secret: sealSecret("x") };

  test.each(["register", "transfer"])("if it buys a domain: %s", (field) => {
    expect(why("domain", name, code, { pointer: `/${field}`, field, value: true })).toBe(
      "it costs money, so it is not sent again",
    );
    expect(why("domain", name, code, { pointer: `/${field}`, field, value: false })).toBeUndefined();
    expect(why("domain", name)).toBeUndefined();
  });

  test("if a second object would stand beside the first", () => {
    expect(why("certificate")).toMatch(/beside the first/u);
    expect(why("cron")).toBeUndefined();
  });
});

test("a pending domain waits for others if it is transferred, and for the server if it is registered", () => {
  const external = domain.readiness?.external;
  expect(external?.("pending", { transfer: true })).toMatch(/^the transfer waits/u);
  expect(external?.("pending", {})).toMatch(/^the transfer waits/u);
  expect(external?.("pending", { register: true })).toBeUndefined();
  expect(external?.("active", { transfer: true })).toBeUndefined();
});

test.each([
  [{ service: "example.com" }, [["service/example.com"]]],
  [{ service: null }, []],
  [{}, []],
])("a certificate with the fields %j requires %j", (fields, parents) => {
  const key = { domains: "example.com", type: "managed" };
  expect(parentsOf(kindNamed("certificate"), key, fields)).toEqual(parents);
});
