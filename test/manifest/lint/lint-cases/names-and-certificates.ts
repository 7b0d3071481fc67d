import { zoneOf, type Cases } from "./draw.ts";

/** Cases of names that no resolver answers with, and of what certificates need. */
export const nameAndCertificateCases: Cases = {
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
