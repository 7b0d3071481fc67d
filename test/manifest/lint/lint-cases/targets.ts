import { all, type Cases, exclusive, otherZone, zone, zoneWith } from "./draw.ts";

/** Cases of records that point to a name. */
export const targetCases: Cases = {
  target_missing: [
    zone("ONE: { CNAME: <<target_missing>>gone.example.com. }"),
    zone(
      '"@": { MX: [{ priority: 1, value: <<target_missing>>gone.example.com. }, { priority: 2, value: ONE.example.com. }] }',
      'ONE: { AAAA: "2001:db8::1" }',
    ),
    // The first of a set points to a foreign host.
    zone(
      "ONE: { MX: [{ priority: 1, value: mx.other.test. }, { priority: 2, value: <<target_missing>>gone.example.com. }] }",
    ),
    zone("_s._tcp: { SRV: { priority: 0, weight: 0, port: 1, target: <<target_missing>>ONE.example.com. } }"),
    zone("apex: { ALIAS: <<target_missing>>x.ONE.example.com. }", "ONE: { A: 192.0.2.1 }"),
    // Of a name that stands only above others there is no record.
    zone("www: { CNAME: <<target_missing>>ONE.example.com. }", "x.ONE: { A: 192.0.2.1 }"),
    // A wildcard does not cover what stands below a name that exists.
    zone(
      "www: { HTTPS: <<target_missing>>1 x.y.zz.example.com. }",
      '"*.zz": { A: 192.0.2.1 }',
      "y.zz: { A: 192.0.2.1 }",
    ),
    all(zone("www: { CNAME: <<target_missing>>ONE.example.net. }"), otherZone("TWO: { A: 192.0.2.1 }")),
    zone("www: { NS: <<target_missing>>ONE.example.com. }"),
    // An address is wanted, and only a text is there.
    zone("www: { MX: [{ priority: 1, value: <<target_missing>>t.example.com. }] }", "t: { TXT: x }"),
    zone("www: { CNAME: <<target_missing>>o.example.com. }", "o: { A: [{ value: 192.0.2.1, disabled: true }] }"),
    // Near it.
    zone("www: { CNAME: ONE.example.com. }", "ONE: { TXT: x }"),
    zone(
      "www: { CNAME: example.com. }",
      "_s._tcp: { SRV: { priority: 0, weight: 0, port: 1, target: <<target_is_cname>>d.example.com. } }",
      "d: { CNAME: x.other.test. }",
    ),
    zone("www: { CNAME: ONE.example.com. }", '"*": { CNAME: x.other.test. }'),
    zoneWith('ignore: ["ONE"]', "www: { CNAME: ONE.example.com. }"),
    zoneWith('ignore: ["g*/A"]', "www: { MX: [{ priority: 1, value: gone.example.com. }] }"),
    all(zone("www: { CNAME: ONE.example.net. }"), "  example.net: {}"),
    zone("www: { CNAME: x.child.example.com. }", "child: { NS: ns.other.test. }"),
    zone("www: { CNAME: ONE.notexample.com. }"),
  ],
  target_is_cname: [
    zone('"@": { MX: [{ priority: 1, value: <<target_is_cname>>ONE.example.com. }] }', "ONE: { CNAME: x.other.test. }"),
    all(
      zone('"@": { MX: [{ priority: 1, value: <<target_is_cname>>ONE.example.net. }] }'),
      otherZone("ONE: { CNAME: x.other.test. }"),
    ),
    exclusive(
      zone(
        '"@": { MX: [{ priority: 1, value: <<target_is_cname>>any.example.com. }] }',
        '"*": { CNAME: x.other.test. }',
      ),
    ),
    zone("www: { NS: <<target_is_cname>>n.example.com. }", "n: { CNAME: x.other.test. }"),
    zone("www: { CNAME: ONE.example.com. }", "ONE: { CNAME: x.other.test. }"),
    zone('"@": { MX: [{ priority: 1, value: ONE.notexample.com. }] }', "ONE.not: { CNAME: x.other.test. }"),
  ],
  target_circle: [
    zone("moved: { DNAME: <<target_circle>>x.moved.example.com. }"),
    zone("a: { DNAME: <<target_circle>>b.example.com. }", "b: { DNAME: a.example.com. }"),
    zone("www: { CNAME: <<target_circle>>www.old.example.com. }", "old: { DNAME: example.com. }"),
    zone("www: { CNAME: x.old.example.com. }", "old: { DNAME: example.com. }", "x: { A: 192.0.2.1 }"),
    zone("ONE: { CNAME: <<target_circle>>ONE.example.com. }"),
    zone("ONE: { CNAME: <<target_circle>>TWO.example.com. }", "TWO: { CNAME: ONE.example.com. }"),
    zone('"@": { ALIAS: <<target_circle>>www.example.com. }', "www: { CNAME: example.com. }"),
    all(
      zone("www: { CNAME: <<target_circle>>www.example.net. }"),
      otherZone("www: { CNAME: x.example.net. }", "x: { ALIAS: www.example.com. }"),
    ),
    zone(
      "c: { CNAME: a.example.com. }",
      "a: { CNAME: <<target_circle>>b.example.com. }",
      "b: { CNAME: a.example.com. }",
    ),
    exclusive(zone('"*": { CNAME: <<target_circle>>www.example.com. }')),
    zone("a: { CNAME: b.example.com. }", "b: { CNAME: c.other.test. }"),
    zone("a: { CNAME: b.example.com. }", "b: { A: 192.0.2.1 }"),
  ],
};
