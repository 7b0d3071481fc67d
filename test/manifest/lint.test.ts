import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDesired } from "../../src/manifest/desired.ts";
import { lintIds } from "../../src/manifest/lint/lint.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import { secretReader } from "../../src/manifest/secrets.ts";
import { size } from "../proofs/size.ts";

/** Every warning of a manifest as `id line:col`; a mistake in it is a mistake of the test. */
function warningsOf(text: string): string[] {
  const { tree, diagnostics } = parseManifest([{ file: "m.yaml", text }]);
  if (!tree || diagnostics.length > 0) throw new Error(`${JSON.stringify(diagnostics)}\n${text}`);
  const { diagnostics: told } = readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  );
  const wrong = told.filter(({ severity }) => severity === "error");
  if (wrong.length > 0) throw new Error(`${JSON.stringify(wrong)}\n${text}`);
  for (const each of told) expect(each, "says what to do").toMatchObject({ hint: expect.any(String) });
  for (const { code, rule } of told) expect(rule).toBe(lintIds.includes(code) ? code : undefined);
  return told
    .filter(({ severity }) => severity === "warning")
    .map(({ code, at }) => `${code} ${at?.line}:${at?.col}`)
    .sort();
}

/** A manifest in which `<<id>>` marks the places where a rule is to fire. */
function unmarked(marked: string): { readonly text: string; readonly expected: string[] } {
  const expected: string[] = [];
  const lines = marked.split("\n").map((line, index) => {
    let rest = line;
    for (let mark = /<<(\w+)>>/u.exec(rest); mark; mark = /<<(\w+)>>/u.exec(rest)) {
      expected.push(`${mark[1]} ${index + 1}:${mark.index + 1}`);
      rest = rest.replace(mark[0], "");
    }
    return rest;
  });
  return { text: lines.join("\n"), expected: expected.sort() };
}

interface Draw {
  /** Two names that are not the same. */
  readonly names: readonly [string, string];
  readonly exclusive: boolean;
  /** What else stands in the manifest, with nothing wrong in it. */
  readonly more: readonly string[];
}

const label = fc.constantFrom("alpha", "beta", "gamma", "d-1", "_x", "deep.er", "a.b.c");
const harmless = [
  "other: { A: 192.0.2.9 }",
  '"*.wild": { A: 192.0.2.8 }\n      covered: { CNAME: any.wild.example.com. }',
  "outside: { CNAME: www.other.test. }",
  'text: { TXT: ["v=spf2 x", "v=spf10 x"] }',
  "mx: { A: 192.0.2.1 }",
  "off: { CNAME: { values: [{ value: gone.example.com., disabled: true }] } }",
  'caa: { CAA: [0 issue "ca.example", { tag: iodef, value: "mailto:a@example.net" }] }',
  "sub: { NS: ns.other.test. }\n      below: { CNAME: any.sub.example.com. }",
  "none: { MX: [{ priority: 0, value: . }], SRV: [{ priority: 0, weight: 0, port: 0, target: . }] }",
  "self: { MX: [{ priority: 1, value: mail.self.example.com. }] }\n      mail.self: { ALIAS: out.other.test. }",
  'secret: { CNAME: "${env:UNSET}" }',
  "dotted.example.com.: { A: 192.0.2.7 }",
];
const draw: fc.Arbitrary<Draw> = fc.record({
  names: fc
    .uniqueArray(label, { minLength: 2, maxLength: 2 })
    .map((names): readonly [string, string] => [names[0] ?? "", names[1] ?? ""]),
  exclusive: fc.boolean(),
  more: fc.subarray(harmless),
});

const zoneOf = ({ exclusive, more }: Draw, records: readonly string[], options = "") =>
  [
    "dns:",
    "  example.com:",
    `    exclusive: ${exclusive}`,
    ...(options === "" ? [] : [`    ${options}`]),
    "    records:",
    ...[...records, ...more].map((line) => `      ${line}`),
  ].join("\n");
const otherZone = (records: readonly string[]) =>
  ["  example.net:", "    records:", ...records.map((line) => `      ${line}`)].join("\n");

const mail = (body: string) => `domains: { example.com: }\nmail: { example.com: ${body} }`;
const local = ({ names }: Draw, index: 0 | 1) => `${names[index]}-${index}`;

/** Manifests with the flaw of a rule, marked, and manifests that come near it and have none. */
const cases: Readonly<Record<string, readonly ((draw: Draw) => string)[]>> = {
  target_missing: [
    (d) => zoneOf(d, [`${d.names[0]}: { CNAME: <<target_missing>>gone.example.com. }`]),
    (d) =>
      zoneOf(d, [
        `"@": { MX: [{ priority: 1, value: <<target_missing>>gone.example.com. }, { priority: 2, value: ${d.names[0]}.example.com. }] }`,
        `${d.names[0]}: { AAAA: "2001:db8::1" }`,
      ]),
    // The first of a set points to a foreign host.
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { MX: [{ priority: 1, value: mx.other.test. }, { priority: 2, value: <<target_missing>>gone.example.com. }] }`,
      ]),
    (d) =>
      zoneOf(d, [
        `_s._tcp: { SRV: { priority: 0, weight: 0, port: 1, target: <<target_missing>>${d.names[0]}.example.com. } }`,
      ]),
    (d) =>
      zoneOf(d, [`apex: { ALIAS: <<target_missing>>x.${d.names[0]}.example.com. }`, `${d.names[0]}: { A: 192.0.2.1 }`]),
    // Of a name that stands only above others there is no record.
    (d) =>
      zoneOf(d, [`www: { CNAME: <<target_missing>>${d.names[0]}.example.com. }`, `x.${d.names[0]}: { A: 192.0.2.1 }`]),
    // A wildcard does not cover what stands below a name that exists.
    (d) =>
      zoneOf(d, [
        `www: { HTTPS: <<target_missing>>1 x.y.zz.example.com. }`,
        '"*.zz": { A: 192.0.2.1 }',
        "y.zz: { A: 192.0.2.1 }",
      ]),
    (d) =>
      `${zoneOf(d, [`www: { CNAME: <<target_missing>>${d.names[0]}.example.net. }`])}\n${otherZone([`${d.names[1]}: { A: 192.0.2.1 }`])}`,
    (d) => zoneOf(d, [`www: { NS: <<target_missing>>${d.names[0]}.example.com. }`]),
    // An address is wanted, and only a text is there.
    (d) => zoneOf(d, [`www: { MX: [{ priority: 1, value: <<target_missing>>t.example.com. }] }`, "t: { TXT: x }"]),
    (d) =>
      zoneOf(d, [
        "www: { CNAME: <<target_missing>>o.example.com. }",
        "o: { A: [{ value: 192.0.2.1, disabled: true }] }",
      ]),
    // Near it.
    (d) => zoneOf(d, [`www: { CNAME: ${d.names[0]}.example.com. }`, `${d.names[0]}: { TXT: x }`]),
    (d) =>
      zoneOf(d, [
        "www: { CNAME: example.com. }",
        "_s._tcp: { SRV: { priority: 0, weight: 0, port: 1, target: d.example.com. } }",
        "d: { CNAME: x.other.test. }",
      ]).replace("target: d.", "target: <<target_is_cname>>d."),
    (d) => zoneOf(d, [`www: { CNAME: ${d.names[0]}.example.com. }`, '"*": { CNAME: x.other.test. }']),
    (d) => zoneOf(d, [`www: { CNAME: ${d.names[0]}.example.com. }`], `ignore: ["${d.names[0]}"]`),
    (d) => zoneOf(d, ["www: { MX: [{ priority: 1, value: gone.example.com. }] }"], 'ignore: ["g*/A"]'),
    (d) => `${zoneOf(d, [`www: { CNAME: ${d.names[0]}.example.net. }`])}\n  example.net: {}`,
    (d) => zoneOf(d, ["www: { CNAME: x.child.example.com. }", "child: { NS: ns.other.test. }"]),
    (d) => zoneOf(d, [`www: { CNAME: ${d.names[0]}.notexample.com. }`]),
  ],
  target_is_cname: [
    (d) =>
      zoneOf(d, [
        `"@": { MX: [{ priority: 1, value: <<target_is_cname>>${d.names[0]}.example.com. }] }`,
        `${d.names[0]}: { CNAME: x.other.test. }`,
      ]),
    (d) =>
      `${zoneOf(d, [`"@": { MX: [{ priority: 1, value: <<target_is_cname>>${d.names[0]}.example.net. }] }`])}\n${otherZone([`${d.names[0]}: { CNAME: x.other.test. }`])}`,
    (d) =>
      zoneOf({ ...d, exclusive: true, more: [] }, [
        '"@": { MX: [{ priority: 1, value: <<target_is_cname>>any.example.com. }] }',
        '"*": { CNAME: x.other.test. }',
      ]),
    (d) => zoneOf(d, ["www: { NS: <<target_is_cname>>n.example.com. }", "n: { CNAME: x.other.test. }"]),
    (d) => zoneOf(d, [`www: { CNAME: ${d.names[0]}.example.com. }`, `${d.names[0]}: { CNAME: x.other.test. }`]),
    (d) =>
      zoneOf(d, [
        `"@": { MX: [{ priority: 1, value: ${d.names[0]}.notexample.com. }] }`,
        `${d.names[0]}.not: { CNAME: x.other.test. }`,
      ]),
  ],
  target_circle: [
    (d) => zoneOf(d, ["moved: { DNAME: <<target_circle>>x.moved.example.com. }"]),
    (d) => zoneOf(d, ["a: { DNAME: <<target_circle>>b.example.com. }", "b: { DNAME: a.example.com. }"]),
    (d) => zoneOf(d, ["www: { CNAME: <<target_circle>>www.old.example.com. }", "old: { DNAME: example.com. }"]),
    (d) => zoneOf(d, ["www: { CNAME: x.old.example.com. }", "old: { DNAME: example.com. }", "x: { A: 192.0.2.1 }"]),
    (d) => zoneOf(d, [`${d.names[0]}: { CNAME: <<target_circle>>${d.names[0]}.example.com. }`]),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { CNAME: <<target_circle>>${d.names[1]}.example.com. }`,
        `${d.names[1]}: { CNAME: ${d.names[0]}.example.com. }`,
      ]),
    (d) => zoneOf(d, ['"@": { ALIAS: <<target_circle>>www.example.com. }', "www: { CNAME: example.com. }"]),
    (d) =>
      `${zoneOf(d, ["www: { CNAME: <<target_circle>>www.example.net. }"])}\n${otherZone(["www: { CNAME: x.example.net. }", "x: { ALIAS: www.example.com. }"])}`,
    (d) =>
      zoneOf(d, [
        "c: { CNAME: a.example.com. }",
        "a: { CNAME: <<target_circle>>b.example.com. }",
        "b: { CNAME: a.example.com. }",
      ]),
    (d) => zoneOf({ ...d, exclusive: true, more: [] }, ['"*": { CNAME: <<target_circle>>www.example.com. }']),
    (d) => zoneOf(d, ["a: { CNAME: b.example.com. }", "b: { CNAME: c.other.test. }"]),
    (d) =>
      zoneOf(d, [
        "a: { CNAME: b.example.com. }",
        "b: { CNAME: [{ value: a.example.com., disabled: true }], A: 192.0.2.1 }",
      ]).replace("CNAME: [{ value: a.example.com., disabled: true }], ", ""),
  ],
  several_spf: [
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { TXT: [v=spf1 -all, x, <<several_spf>>v=spf1 a -all, <<several_spf>>'"v=spf1" " mx"'] }`,
      ]),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { TXT: [v=spf1, { value: <<several_spf>>V=SPF1 a, comment: x }, { value: v=spf1 mx, disabled: true }] }`,
      ]),
    (d) => zoneOf(d, [`${d.names[0]}: { TXT: [v=spf1 -all, v=spf, v=spf1x] }`, `${d.names[1]}: { TXT: v=spf1 -all }`]),
  ],
  spf_lookups: [
    (d) => zoneOf(d, [`${d.names[0]}: { TXT: <<spf_lookups>>v=spf1 ${"include:x.other.test ".repeat(11)}-all }`]),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { TXT: ["<<spf_lookups>>v=spf1 a mx/24 ptr exists:%{i}.x.test ?include:1.test +a:2.test mx:3.test/28//64 -include:4.test a/24 ~a//64 redirect=5.test"] }`,
      ]).replace('"<<spf_lookups>>', '<<spf_lookups>>"'),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { TXT: <<spf_lookups>>v=spf1 include:${d.names[1]}.example.com a a }`,
        `${d.names[1]}: { TXT: v=spf1 ${"a ".repeat(8)}redirect=x.other.test }`,
      ])
        .replace("a a }", "a a a }")
        .replace("redirect=x.other.test", "-all"),
    (d) =>
      `${zoneOf(d, ["www: { TXT: <<spf_lookups>>v=spf1 include:_spf.example.net mx }"])}\n${otherZone([
        `_spf: { TXT: v=spf1 ${"a ".repeat(9)}~all }`,
      ])
        .replace("~all", "include:x.other.test ~all")
        .replace("a a a a a a a a a ", "a a a a a a a a a ")}`,
    (d) =>
      zoneOf(d, [
        "www: { TXT: <<spf_lookups>>v=spf1 include:i.example.com }",
        "i: { TXT: <<spf_lookups>>v=spf1 include:www.example.com }",
      ]),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { TXT: v=spf1 ${"include:x.other.test ".repeat(10)}ip4:192.0.2.1 exp=x.test -all a a a redirect=x.test }`,
      ]),
    (d) => zoneOf(d, [`${d.names[0]}: { TXT: v=spf1 ${"a ".repeat(10)}-all redirect=x.test }`]),
    (d) => zoneOf(d, ["www: { TXT: v=spf1 include:i.example.com }", "i: { TXT: v=spf1 a a a a a a a a a -all }"]),
  ],
  mailbox_without_mx: [
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"])}\ndomains: { example.com: }\nmail: { example.com: { mailboxes: { <<mailbox_without_mx>>info: {}, jane: {} } } }`,
    (d) =>
      `${zoneOf(d, ['"@": { MX: [{ priority: 0, value: . }] }'])}\ndomains: { example.com: }\nmail: { example.com: { mailboxes: { <<mailbox_without_mx>>info: {} } } }`,
    (d) =>
      `${zoneOf(d, ['"@": { MX: [{ priority: 0, value: x.other.test., disabled: true }] }'])}\ndomains: { example.com: }\nmail: { example.com: { mailboxes: { <<mailbox_without_mx>>info: {} } } }`,
    (d) =>
      `${zoneOf(d, ['"@": { MX: [{ priority: 0, value: x.other.test. }] }'])}\ndomains: { m.example.com: }\nmail: { m.example.com: { mailboxes: { <<mailbox_without_mx>>info: {} } } }`,
    (d) =>
      `${zoneOf(d, ['"@": { MX: [{ priority: 0, value: x.other.test. }] }'])}\ndomains: { example.com: }\nmail: { example.com: { mailboxes: { info: {} } } }`,
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"])}\ndomains: { other.test: }\nmail: { other.test: { mailboxes: { info: {} } } }`,
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"], 'ignore: ["@/MX"]')}\ndomains: { example.com: }\nmail: { example.com: { mailboxes: { info: {} } } }`,
    (d) =>
      `${zoneOf(d, ['"*": { MX: [{ priority: 0, value: x.other.test. }] }'])}\ndomains: { m.example.com: }\nmail: { m.example.com: { mailboxes: { info: {} } } }`,
  ],
  dkim_without_record: [
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"])}\ndomains: { example.com: }\nmail: { example.com: { settings: { dkim: { enabled: <<dkim_without_record>>true } } } }`,
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }", "sel._domainkey: { TXT: v=DKIM1 }"])}\ndomains: { m.example.com: }\nmail: { m.example.com: { settings: { dkim: { enabled: <<dkim_without_record>>true } } } }`,
    (d) =>
      `${zoneOf(d, ['sel._domainkey: { TXT: "${ref:mail_settings/example.com.dkim.record}" }'])}\ndomains: { example.com: }\nmail: { example.com: { settings: { dkim: { enabled: true } } } }`,
    (d) =>
      `${zoneOf(d, ["k1._domainkey: { CNAME: k1.other.test. }"])}\ndomains: { example.com: }\nmail: { example.com: { settings: { dkim: { enabled: true } } } }`,
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"])}\ndomains: { example.com: , other.test: }\nmail: { example.com: { settings: { dkim: { enabled: false } } }, other.test: { settings: { dkim: { enabled: true } } } }`,
  ],
  alias_target_missing: [
    (d) => mail(`{ aliases: { ${local(d, 0)}: { destinations: [<<alias_target_missing>>gone@example.com] } } }`),
    (d) =>
      mail(
        `{ mailboxes: { jane: {} }, aliases: { ${local(d, 0)}: { destinations: [jane@example.com, <<alias_target_missing>>Gone@EXAMPLE.com, x@other.test] } } }`,
      ),
    // An alias of another declared domain.
    (d) =>
      mail(
        `{ mailboxes: { jane: {} } }, other.test: { aliases: { ${local(d, 0)}: { destinations: [<<alias_target_missing>>gone@example.com, jane@example.com] } } }`,
      ).replace("domains: {", "domains: { other.test: ,"),
    (d) =>
      mail(
        `{ exclusive: true, aliases: { ${local(d, 0)}: { destinations: [<<alias_target_missing>>gone@example.com] } } }`,
      ),
    // Near it: declared, an alias of a declared alias, elsewhere, caught, ignored, not known before apply.
    (d) =>
      mail(
        `{ mailboxes: { jane: {} }, aliases: { ${local(d, 0)}: { destinations: [JANE@example.com] }, ${local(d, 1)}: { destinations: [${local(d, 0)}@example.com] } } }`,
      ),
    (d) => mail(`{ aliases: { ${local(d, 0)}: { destinations: [gone@other.test, gone@sub.example.com] } } }`),
    (d) =>
      mail(
        `{ settings: { catch_all: jane@other.test }, aliases: { ${local(d, 0)}: { destinations: [gone@example.com] } } }`,
      ),
    (d) => mail(`{ ignore: ["go*"], aliases: { ${local(d, 0)}: { destinations: [gone@example.com] } } }`),
  ],
  alias_circle: [
    (d) => mail(`{ aliases: { <<alias_circle>>${local(d, 0)}: { destinations: [${local(d, 0)}@example.com] } } }`),
    () =>
      mail(
        `{ aliases: { <<alias_circle>>a: { destinations: [b@example.com, x@other.test] }, b: { destinations: [c@example.com] }, c: { destinations: [a@example.com] } } }`,
      ),
    (d) =>
      mail(
        `{ aliases: { <<alias_circle>>${local(d, 0)}: { destinations: [b@other.test] } } }, other.test: { aliases: { b: { destinations: [${local(d, 0)}@example.com] } } }`,
      ).replace("domains: {", "domains: { other.test: ,"),
    () =>
      mail(
        `{ aliases: { in: { destinations: [a@example.com] }, <<alias_circle>>a: { destinations: [b@example.com] }, b: { destinations: [a@example.com] } } }`,
      ),
    // Two ways to one end are no circle.
    () =>
      mail(
        `{ mailboxes: { jane: {} }, aliases: { a: { destinations: [b@example.com, c@example.com] }, b: { destinations: [jane@example.com] }, c: { destinations: [b@example.com, jane@example.com] } } }`,
      ),
  ],
  unknown_caa_tag: [
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { CAA: [0 issue "ca.example", <<unknown_caa_tag>>0 isue "ca.example", { tag: issuewild, value: ; }] }`,
      ]),
    (d) => zoneOf(d, [`${d.names[0]}: { CAA: { values: [{ flags: 128, tag: tbs, value: <<unknown_caa_tag>>x }] } }`]),
    (d) =>
      zoneOf(d, [
        `${d.names[0]}: { CAA: [0 ISSUE "ca.example", 0 issuemail "x", 0 contactemail "a@example.net", 0 issuevmc ";"] }`,
      ]),
  ],
  certificate_without_address: [
    (d) =>
      `${zoneOf(d, ["www: { A: 192.0.2.1 }"])}\nservices: { example.com: }\ncertificates: { example.com: [{ domains: [www.example.com, <<certificate_without_address>>gone.example.com] }] }`,
    (d) =>
      `${zoneOf(d, ["www: { TXT: x }"])}\nservices: { example.com: }\ncertificates: { example.com: [{ domains: [<<certificate_without_address>>WWW.example.com] }] }`,
    (d) =>
      `${zoneOf({ ...d, more: [] }, ["a.b.c: { A: 192.0.2.1 }"])}\nservices: { example.com: }\ncertificates: { example.com: [{ domains: [<<certificate_without_address>>"*.example.com"] }] }`,
    (d) =>
      `${zoneOf(d, ['"*": { CNAME: x.other.test. }', '"@": { ALIAS: x.other.test. }'])}\nservices: { example.com: }\ncertificates: { example.com: [{ domains: [example.com, www.example.com, "*.example.com", www.other.test] }] }`,
  ],
  ambiguous_name: [
    (d) => zoneOf(d, [`<<ambiguous_name>>${d.names[0]}.example.com: { TXT: x, A: 192.0.2.1 }`]),
    (d) => zoneOf(d, ["<<ambiguous_name>>Example.COM: { A: 192.0.2.1 }"]),
    (d) => zoneOf(d, [`${d.names[0]}.example.com.: { TXT: x }`, "notexample.com: { TXT: x }", "example: { TXT: x }"]),
    (d) => zoneOf(d, [`${d.names[0]}.example.com.example.com.: { TXT: x }`]),
  ],
  hidden_by_dname: [
    (d) => zoneOf(d, ["moved: { DNAME: other.test. }", "x.moved: { <<hidden_by_dname>>TXT: x }"]),
    (d) => zoneOf(d, ["moved: { DNAME: other.test. }", "a.b.moved: { <<hidden_by_dname>>A: 192.0.2.1 }"]),
    (d) => zoneOf(d, ["moved: { DNAME: other.test., TXT: x }", "unmoved: { CNAME: any.moved.example.com. }"]),
    // A record that is disabled is not served, and hides nothing.
    (d) => zoneOf(d, ["moved: { DNAME: [{ value: other.test., disabled: true }] }", "x.moved: { TXT: x }"]),
  ],
  hidden_by_delegation: [
    (d) => zoneOf(d, ["cut: { NS: ns.other.test. }", "x.cut: { <<hidden_by_delegation>>TXT: x }"]),
    (d) => zoneOf(d, ["cut: { NS: ns.other.test. }", "x.cutter: { TXT: x }"]),
    // A DNAME at a delegated name is hidden as well.
    (d) => zoneOf(d, ["cut: { NS: ns.other.test., <<hidden_by_delegation>>DNAME: other.test. }"]),
    (d) => zoneOf(d, ["cut: { NS: [{ value: ns.other.test., disabled: true }] }", "x.cut: { TXT: x }"]),
  ],
  glue_missing: [
    (d) => zoneOf(d, [`${d.names[0]}: { NS: <<glue_missing>>ns.${d.names[0]}.example.com. }`]),
    (d) =>
      zoneOf(d, [
        `cut: { NS: [ns1.cut.example.com., <<glue_missing>>ns2.cut.example.com., ns.other.test.] }`,
        `ns1.cut: { A: 192.0.2.1 }`,
      ]),
    (d) => zoneOf(d, ["cut: { NS: <<glue_missing>>cut.example.com. }"]),
    (d) => zoneOf(d, ["cut: { NS: <<glue_missing>>NS.a.b.Cut.example.com }"]),
    // A wildcard, another type and a disabled address are no glue.
    (d) =>
      zoneOf(d, [
        "cut: { NS: <<glue_missing>>ns.cut.example.com. }",
        '"*": { A: 192.0.2.1 }',
        "ns.cut: { A: [{ value: 192.0.2.1, disabled: true }] }",
      ]).replace("ns.cut: { A:", "ns.cut: { <<hidden_by_delegation>>TXT: x, A:"),
    // The child zone is declared as well, and has the address; its parent has none.
    (d) =>
      `${zoneOf({ ...d, more: [] }, ["cut: { NS: <<glue_missing>>ns.cut.example.com. }"])}\n  cut.example.com: { records: { ns: { A: 192.0.2.1 } } }`,
    // Near it.
    (d) =>
      zoneOf(d, [`${d.names[0]}: { NS: ns.${d.names[0]}.example.com. }`, `ns.${d.names[0]}: { AAAA: "2001:db8::1" }`]),
    (d) => zoneOf(d, ["cut: { NS: cut.example.com., A: 192.0.2.1 }"]),
    (d) => zoneOf(d, ["cut: { NS: ns.other.test. }", "cut2: { NS: ns.notcut2.example.net. }"]),
    (d) => zoneOf(d, ["cut: { NS: ns.cut.example.com. }"], 'ignore: ["ns.cut"]'),
    (d) => zoneOf(d, ["cut: { NS: ns.cut.example.com. }"], 'ignore: ["*cut/A"]'),
    (d) => zoneOf(d, ["cut: { NS: [{ value: ns.cut.example.com., disabled: true }, ns.other.test.] }"]),
    (d) => zoneOf(d, ["ns: { A: 192.0.2.1 }", "cut: { NS: ns.example.com. }"]),
  ],
  unassigned_tlsa: [
    (d) => zoneOf(d, [`_443._tcp.${d.names[0]}: { TLSA: <<unassigned_tlsa>>4 1 1 ${"ab".repeat(32)} }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: [3 1 1 ${"ab".repeat(32)}, <<unassigned_tlsa>>3 2 1 ${"ab".repeat(32)}] }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: <<unassigned_tlsa>>3 0 3 ${"ab".repeat(48)} }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: <<unassigned_tlsa>><<unassigned_tlsa>>254 254 0 abcd }`]),
    (d) => zoneOf(d, [`x._smimecert: { SMIMEA: <<unassigned_tlsa>>3 7 2 ${"ab".repeat(64)} }`]),
    (d) =>
      zoneOf(d, [`_443._tcp: { TLSA: <<unassigned_tlsa>>'\\# 4 090101ab' }`]).replace("4 090101ab", "5 090100abcd"),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: { value: <<unassigned_tlsa>>200 1 0 abcd, comment: x } }`]),
    (d) =>
      zoneOf(d, [
        `_443._tcp: { TLSA: [0 0 1 ${"ab".repeat(32)}, 3 1 2 ${"ab".repeat(64)}, 255 255 255 ab, 2 1 0 3003020101] }`,
      ]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: { value: 9 9 9 ab, disabled: true } }`]),
  ],
  tlsa_length: [
    (d) => zoneOf(d, [`_443._tcp.${d.names[0]}: { TLSA: <<tlsa_length>>3 1 0 ${"ab".repeat(32)} }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: [<<tlsa_length>>2 0 0 ${"ab".repeat(64)}, 3 1 1 ${"ab".repeat(32)}] }`]),
    (d) => zoneOf(d, [`x._smimecert: { SMIMEA: <<tlsa_length>>3 0 0 ${"30".repeat(32)} }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: [3 1 0 301e${"00".repeat(30)}, 3 1 0 303e${"00".repeat(62)}] }`]),
    (d) => zoneOf(d, [`_443._tcp: { TLSA: [3 1 0 302a${"00".repeat(42)}, 3 1 255 ${"ab".repeat(32)}] }`]),
  ],
};

const head = "version: 1\nname: lint-test\n";

describe("a rule about content that is legal but surely wrong", () => {
  test("has cases here, and its id in the schema", () => {
    expect(Object.keys(cases).sort()).toEqual(lintIds);
  });

  test.each(lintIds)(
    "%s fires where the flaw is, at its place, and nowhere else; disabling it silences only it",
    (id) => {
      fc.assert(
        fc.property(draw, fc.constantFrom(...(cases[id] ?? [])), (drawn, write) => {
          const { text, expected } = unmarked(`${head}${write(drawn)}`);
          expect(warningsOf(text)).toEqual(expected);
          const without = (...ids: string[]) => warningsOf(`${text}\nlint: { disable: [${ids.join(", ")}] }`);
          expect(without(id)).toEqual(expected.filter((each) => !each.startsWith(`${id} `)));
          expect(without(...lintIds.filter((other) => other !== id))).toEqual(
            expected.filter((each) => each.startsWith(`${id} `)),
          );
        }),
        { numRuns: size.draws(60) },
      );
    },
  );

  test("every one of them is silenced where all are", () => {
    const every = Object.values(cases).flat();
    fc.assert(
      fc.property(draw, fc.constantFrom(...every), (drawn, write) => {
        const { text } = unmarked(`${head}${write(drawn)}`);
        expect(warningsOf(`${text}\nlint: { disable: [${lintIds.join(", ")}] }`)).toEqual([]);
      }),
      { numRuns: size.draws(40) },
    );
  });
});

test("a mailbox and an alias of one address are an error with both places", () => {
  const text = `${head}domains: { a.test: }\nmail:\n  a.test:\n    mailboxes: { x: {} }\n    aliases: { X: { destinations: [y@b.test] } }\n`;
  const { tree } = parseManifest([{ file: "m.yaml", text }]);
  if (!tree) throw new Error("the manifest of the test is broken");
  const { diagnostics } = readDesired(
    tree,
    secretReader({}, "/nowhere", () => undefined),
  );
  expect(diagnostics).toMatchObject([
    {
      severity: "error",
      code: "duplicate_name",
      summary: "mail_alias/x@a.test and mailbox/x@a.test cannot both hold the mail address x@a.test",
      at: { line: 7, col: 16 },
      related: [{ at: { line: 6, col: 18 } }],
    },
  ]);
});

describe("lint: { disable: […] }", () => {
  const sources = (...texts: string[]) =>
    parseManifest(
      texts.map((text, index) => ({ file: `${index}.yaml`, text: `version: 1\nname: lint-test\n${text}` })),
    );

  test("names a rule that exists: an unknown id is a mistake with a suggestion", () => {
    expect(sources("lint: { disable: [target_mising] }").diagnostics).toMatchObject([
      { severity: "error", hint: 'did you mean "target_missing"?', at: { line: 3, col: 19 } },
    ]);
  });

  test("is joined over several files", () => {
    const zone = "dns: { example.com: { records: { www: { CNAME: gone.example.com. }, c: { CAA: 0 x y } } } }";
    const { tree, diagnostics } = sources(
      zone,
      "lint: { disable: [target_missing] }",
      "lint: { disable: [unknown_caa_tag, target_missing] }",
    );
    expect(diagnostics).toEqual([]);
    expect(tree && readDesired(tree, () => ({ missing: "x" })).diagnostics).toEqual([]);
  });
});
