import { otherZone, zoneOf, type Cases } from "./draw.ts";

/** Cases of records that point to a name. */
export const targetCases: Cases = {
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
};
