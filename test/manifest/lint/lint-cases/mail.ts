import { local, mail, otherZone, zoneOf, type Cases } from "./draw.ts";

/** Cases of mail: who may send it, where it arrives, and where an alias passes it on. */
export const mailCases: Cases = {
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
};
