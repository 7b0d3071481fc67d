import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseInterpolation } from "../../../src/manifest/read/interpolation.ts";
import { forDraws } from "../../support/for-draws.ts";

describe("a text with interpolations", () => {
  test.each([
    ["plain", ["plain"]],
    ["", [""]],
    ["${env:INFO_PASSWORD}", [{ env: "INFO_PASSWORD" }]],
    ["a ${env:X} b ${env:Y}", ["a ", { env: "X" }, " b ", { env: "Y" }]],
    ["${file:./keys/a b.pem}", [{ file: "./keys/a b.pem" }]],
    ["${ref:service/example.com.id}", [{ ref: "service/example.com", field: "id" }]],
    ["${ref:mail_settings/example.com.dkim.record}", [{ ref: "mail_settings/example.com.dkim", field: "record" }]],
    ["$${env:X}", ["${env:X}"]],
    ["$$${env:X}", ["$${env:X}"]],
    ["${env:X}$${", [{ env: "X" }, "${"]],
    ["${env:X}${env:Y}", [{ env: "X" }, { env: "Y" }]],
    ["cost: $5 {a} $", ["cost: $5 {a} $"]],
  ])("%j has the parts %j", (text, parts) => {
    expect(parseInterpolation(text)).toEqual({ parts });
  });

  test.each([
    ["${env:X", /never closed/u],
    ["${HOME}", /\$\$\{ for a literal/u],
    ["${evn:X}", /did you mean \$\{env:…\}/u],
    ["${ref}", /names no source/u],
    ["${var.x}", /write .*\$\{var:NAME\}/u],
    ["${constructor:x}", /names no source/u],
    ["${env:}", /name of a variable/u],
    ["${env:A-B}", /name of a variable/u],
    ["v=${env:HOSTFORM_API_KEY}", /would send the API key/u],
    ["${file: }", /path/u],
    ["${ref:example.com}", /address and a field/u],
    ["${ref:service/example}", /address and a field/u],
    ["ok ${env:A} then ${nope}", /names no source/u],
  ])("%j is refused", (text, error) => {
    expect(parseInterpolation(text)).toEqual({ error: expect.stringMatching(error) });
  });

  test("is the text itself where every ${ is doubled", () =>
    forDraws({}, fc.string(), (text) => {
      const literal = text.replaceAll("$", "").replaceAll("{", () => "${");
      expect(parseInterpolation(literal.replaceAll("${", () => "$${"))).toEqual({ parts: [literal] });
    }));
});
