import { all, alone, type Cases, certificates, zone, zoneWith } from "./draw.ts";

/** Cases of names that no resolver answers with, and of what certificates need. */
export const nameAndCertificateCases: Cases = {
  unknown_caa_tag: [
    zone('ONE: { CAA: [0 issue "ca.example", <<unknown_caa_tag>>0 isue "ca.example", { tag: issuewild, value: ; }] }'),
    zone("ONE: { CAA: { values: [{ flags: 128, tag: tbs, value: <<unknown_caa_tag>>x }] } }"),
    zone('ONE: { CAA: [0 ISSUE "ca.example", 0 issuemail "x", 0 contactemail "a@example.net", 0 issuevmc ";"] }'),
  ],
  certificate_without_address: [
    all(
      zone("www: { A: 192.0.2.1 }"),
      certificates("[{ domains: [www.example.com, <<certificate_without_address>>gone.example.com] }]"),
    ),
    all(zone("www: { TXT: x }"), certificates("[{ domains: [<<certificate_without_address>>WWW.example.com] }]")),
    all(
      alone(zone("a.b.c: { A: 192.0.2.1 }")),
      certificates('[{ domains: [<<certificate_without_address>>"*.example.com"] }]'),
    ),
    all(
      zone('"*": { CNAME: x.other.test. }', '"@": { ALIAS: x.other.test. }'),
      certificates('[{ domains: [example.com, www.example.com, "*.example.com", www.other.test] }]'),
    ),
  ],
  ambiguous_name: [
    zone("<<ambiguous_name>>ONE.example.com: { TXT: x, A: 192.0.2.1 }"),
    zone("<<ambiguous_name>>Example.COM: { A: 192.0.2.1 }"),
    zone("ONE.example.com.: { TXT: x }", "notexample.com: { TXT: x }", "example: { TXT: x }"),
    zone("ONE.example.com.example.com.: { TXT: x }"),
  ],
  hidden_by_dname: [
    zone("moved: { DNAME: other.test. }", "x.moved: { <<hidden_by_dname>>TXT: x }"),
    zone("moved: { DNAME: other.test. }", "a.b.moved: { <<hidden_by_dname>>A: 192.0.2.1 }"),
    zone("moved: { DNAME: other.test., TXT: x }", "unmoved: { CNAME: any.moved.example.com. }"),
    // A record that is disabled is not served, and hides nothing.
    zone("moved: { DNAME: [{ value: other.test., disabled: true }] }", "x.moved: { TXT: x }"),
  ],
  hidden_by_delegation: [
    zone("cut: { NS: ns.other.test. }", "x.cut: { <<hidden_by_delegation>>TXT: x }"),
    zone("cut: { NS: ns.other.test. }", "x.cutter: { TXT: x }"),
    // A DNAME at a delegated name is hidden as well.
    zone("cut: { NS: ns.other.test., <<hidden_by_delegation>>DNAME: other.test. }"),
    zone("cut: { NS: [{ value: ns.other.test., disabled: true }] }", "x.cut: { TXT: x }"),
  ],
  glue_missing: [
    zone("ONE: { NS: <<glue_missing>>ns.ONE.example.com. }"),
    zone(
      "cut: { NS: [ns1.cut.example.com., <<glue_missing>>ns2.cut.example.com., ns.other.test.] }",
      "ns1.cut: { A: 192.0.2.1 }",
    ),
    zone("cut: { NS: <<glue_missing>>cut.example.com. }"),
    zone("cut: { NS: <<glue_missing>>NS.a.b.Cut.example.com }"),
    // A wildcard, another type and a disabled address are no glue.
    zone(
      "cut: { NS: <<glue_missing>>ns.cut.example.com. }",
      '"*": { A: 192.0.2.1 }',
      "ns.cut: { <<hidden_by_delegation>>TXT: x, A: [{ value: 192.0.2.1, disabled: true }] }",
    ),
    // The child zone is declared as well, and has the address; its parent has none.
    all(
      alone(zone("cut: { NS: <<glue_missing>>ns.cut.example.com. }")),
      "  cut.example.com: { records: { ns: { A: 192.0.2.1 } } }",
    ),
    // Near it.
    zone("ONE: { NS: ns.ONE.example.com. }", 'ns.ONE: { AAAA: "2001:db8::1" }'),
    zone("cut: { NS: cut.example.com., A: 192.0.2.1 }"),
    zone("cut: { NS: ns.other.test. }", "cut2: { NS: ns.notcut2.example.net. }"),
    zoneWith('ignore: ["ns.cut"]', "cut: { NS: ns.cut.example.com. }"),
    zoneWith('ignore: ["*cut/A"]', "cut: { NS: ns.cut.example.com. }"),
    zone("cut: { NS: [{ value: ns.cut.example.com., disabled: true }, ns.other.test.] }"),
    zone("ns: { A: 192.0.2.1 }", "cut: { NS: ns.example.com. }"),
  ],
  unassigned_tlsa: [
    zone(`_443._tcp.ONE: { TLSA: <<unassigned_tlsa>>4 1 1 ${"ab".repeat(32)} }`),
    zone(`_443._tcp: { TLSA: [3 1 1 ${"ab".repeat(32)}, <<unassigned_tlsa>>3 2 1 ${"ab".repeat(32)}] }`),
    zone(`_443._tcp: { TLSA: <<unassigned_tlsa>>3 0 3 ${"ab".repeat(48)} }`),
    zone("_443._tcp: { TLSA: <<unassigned_tlsa>><<unassigned_tlsa>>254 254 0 abcd }"),
    zone(`x._smimecert: { SMIMEA: <<unassigned_tlsa>>3 7 2 ${"ab".repeat(64)} }`),
    zone(String.raw`_443._tcp: { TLSA: <<unassigned_tlsa>>'\# 5 090100abcd' }`),
    zone("_443._tcp: { TLSA: { value: <<unassigned_tlsa>>200 1 0 abcd, comment: x } }"),
    zone(`_443._tcp: { TLSA: [0 0 1 ${"ab".repeat(32)}, 3 1 2 ${"ab".repeat(64)}, 255 255 255 ab, 2 1 0 3003020101] }`),
    zone("_443._tcp: { TLSA: { value: 9 9 9 ab, disabled: true } }"),
  ],
  tlsa_length: [
    zone(`_443._tcp.ONE: { TLSA: <<tlsa_length>>3 1 0 ${"ab".repeat(32)} }`),
    zone(`_443._tcp: { TLSA: [<<tlsa_length>>2 0 0 ${"ab".repeat(64)}, 3 1 1 ${"ab".repeat(32)}] }`),
    zone(`x._smimecert: { SMIMEA: <<tlsa_length>>3 0 0 ${"30".repeat(32)} }`),
    zone(`_443._tcp: { TLSA: [3 1 0 301e${"00".repeat(30)}, 3 1 0 303e${"00".repeat(62)}] }`),
    zone(`_443._tcp: { TLSA: [3 1 0 302a${"00".repeat(42)}, 3 1 255 ${"ab".repeat(32)}] }`),
  ],
};
