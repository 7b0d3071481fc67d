import { all, type Cases, mail, mailOfTwo, otherZone, zone, zoneWith } from "./draw.ts";

/** Cases of mail: who may send it, where it arrives, and where an alias passes it on. */
export const mailCases: Cases = {
  several_spf: [
    zone(`ONE: { TXT: [v=spf1 -all, x, <<several_spf>>v=spf1 a -all, <<several_spf>>'"v=spf1" " mx"'] }`),
    zone(
      "ONE: { TXT: [v=spf1, { value: <<several_spf>>V=SPF1 a, comment: x }, { value: v=spf1 mx, disabled: true }] }",
    ),
    zone("ONE: { TXT: [v=spf1 -all, v=spf, v=spf1x] }", "TWO: { TXT: v=spf1 -all }"),
  ],
  spf_lookups: [
    zone(`ONE: { TXT: <<spf_lookups>>v=spf1 ${"include:x.other.test ".repeat(11)}-all }`),
    zone(
      'ONE: { TXT: [<<spf_lookups>>"v=spf1 a mx/24 ptr exists:%{i}.x.test ?include:1.test +a:2.test mx:3.test/28//64 -include:4.test a/24 ~a//64 redirect=5.test"] }',
    ),
    zone(
      "ONE: { TXT: <<spf_lookups>>v=spf1 include:TWO.example.com a a a }",
      `TWO: { TXT: v=spf1 ${"a ".repeat(8)}-all }`,
    ),
    all(
      zone("www: { TXT: <<spf_lookups>>v=spf1 include:_spf.example.net mx }"),
      otherZone(`_spf: { TXT: v=spf1 ${"a ".repeat(9)}include:x.other.test ~all }`),
    ),
    zone(
      "www: { TXT: <<spf_lookups>>v=spf1 include:i.example.com }",
      "i: { TXT: <<spf_lookups>>v=spf1 include:www.example.com }",
    ),
    zone(
      `ONE: { TXT: v=spf1 ${"include:x.other.test ".repeat(10)}ip4:192.0.2.1 exp=x.test -all a a a redirect=x.test }`,
    ),
    zone(`ONE: { TXT: v=spf1 ${"a ".repeat(10)}-all redirect=x.test }`),
    zone("www: { TXT: v=spf1 include:i.example.com }", "i: { TXT: v=spf1 a a a a a a a a a -all }"),
  ],
  mailbox_without_mx: [
    all(zone("www: { A: 192.0.2.1 }"), mail("{ mailboxes: { <<mailbox_without_mx>>info: {}, jane: {} } }")),
    all(zone('"@": { MX: [{ priority: 0, value: . }] }'), mail("{ mailboxes: { <<mailbox_without_mx>>info: {} } }")),
    all(
      zone('"@": { MX: [{ priority: 0, value: x.other.test., disabled: true }] }'),
      mail("{ mailboxes: { <<mailbox_without_mx>>info: {} } }"),
    ),
    all(
      zone('"@": { MX: [{ priority: 0, value: x.other.test. }] }'),
      mail("{ mailboxes: { <<mailbox_without_mx>>info: {} } }", "m.example.com"),
    ),
    all(zone('"@": { MX: [{ priority: 0, value: x.other.test. }] }'), mail("{ mailboxes: { info: {} } }")),
    all(zone("www: { A: 192.0.2.1 }"), mail("{ mailboxes: { info: {} } }", "other.test")),
    all(zoneWith('ignore: ["@/MX"]', "www: { A: 192.0.2.1 }"), mail("{ mailboxes: { info: {} } }")),
    all(
      zone('"*": { MX: [{ priority: 0, value: x.other.test. }] }'),
      mail("{ mailboxes: { info: {} } }", "m.example.com"),
    ),
  ],
  dkim_without_record: [
    all(zone("www: { A: 192.0.2.1 }"), mail("{ settings: { dkim: { enabled: <<dkim_without_record>>true } } }")),
    all(
      zone("www: { A: 192.0.2.1 }", "sel._domainkey: { TXT: v=DKIM1 }"),
      mail("{ settings: { dkim: { enabled: <<dkim_without_record>>true } } }", "m.example.com"),
    ),
    all(
      zone('sel._domainkey: { TXT: "${ref:mail_settings/example.com.dkim.record}" }'),
      mail("{ settings: { dkim: { enabled: true } } }"),
    ),
    all(zone("k1._domainkey: { CNAME: k1.other.test. }"), mail("{ settings: { dkim: { enabled: true } } }")),
    all(
      zone("www: { A: 192.0.2.1 }"),
      `domains: { example.com: , other.test: }\nmail: { example.com: { settings: { dkim: { enabled: false } } }, other.test: { settings: { dkim: { enabled: true } } } }`,
    ),
  ],
  alias_target_missing: [
    mail("{ aliases: { ONE-0: { destinations: [<<alias_target_missing>>gone@example.com] } } }"),
    mail(
      "{ mailboxes: { jane: {} }, aliases: { ONE-0: { destinations: [jane@example.com, <<alias_target_missing>>Gone@EXAMPLE.com, x@other.test] } } }",
    ),
    // An alias of another declared domain.
    mailOfTwo(
      "{ mailboxes: { jane: {} } }, other.test: { aliases: { ONE-0: { destinations: [<<alias_target_missing>>gone@example.com, jane@example.com] } } }",
    ),
    mail("{ exclusive: true, aliases: { ONE-0: { destinations: [<<alias_target_missing>>gone@example.com] } } }"),
    // Near it: declared, an alias of a declared alias, elsewhere, caught, ignored, not known before apply.
    mail(
      "{ mailboxes: { jane: {} }, aliases: { ONE-0: { destinations: [JANE@example.com] }, TWO-1: { destinations: [ONE-0@example.com] } } }",
    ),
    mail("{ aliases: { ONE-0: { destinations: [gone@other.test, gone@sub.example.com] } } }"),
    mail("{ settings: { catch_all: jane@other.test }, aliases: { ONE-0: { destinations: [gone@example.com] } } }"),
    mail('{ ignore: ["go*"], aliases: { ONE-0: { destinations: [gone@example.com] } } }'),
  ],
  alias_circle: [
    mail("{ aliases: { <<alias_circle>>ONE-0: { destinations: [ONE-0@example.com] } } }"),
    mail(
      "{ aliases: { <<alias_circle>>a: { destinations: [b@example.com, x@other.test] }, b: { destinations: [c@example.com] }, c: { destinations: [a@example.com] } } }",
    ),
    mailOfTwo(
      "{ aliases: { <<alias_circle>>ONE-0: { destinations: [b@other.test] } } }, other.test: { aliases: { b: { destinations: [ONE-0@example.com] } } }",
    ),
    mail(
      "{ aliases: { in: { destinations: [a@example.com] }, <<alias_circle>>a: { destinations: [b@example.com] }, b: { destinations: [a@example.com] } } }",
    ),
    // Two ways to one end are no circle.
    mail(
      "{ mailboxes: { jane: {} }, aliases: { a: { destinations: [b@example.com, c@example.com] }, b: { destinations: [jane@example.com] }, c: { destinations: [b@example.com, jane@example.com] } } }",
    ),
  ],
};
