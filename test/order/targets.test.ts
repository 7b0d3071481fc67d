import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { noEvidence, type AvailabilityConstraint } from "../../src/order/availability.ts";
import { withoutOutages } from "../../src/order/avoid-outages.ts";
import { plan } from "../../src/plan/plan.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";
import { buildInput, inZone, record } from "../plan/build-input.ts";
import {
  drawNames,
  findFaults,
  nameDrawer,
  namingHosts,
  none,
  seeds,
  type Account,
  type Drawn,
} from "../plan/drawn-account.ts";

const drawName = nameDrawer(namingHosts);
const hostTypes = ["A", "AAAA", "CNAME"];

/** A second zone, which may be new or go; a zone without a record would be unknown to the plan. */
const fixed: Drawn = { name: "txt", type: "TXT", content: '"one"', disabled: false, comment: null };
const otherWith = (more: fc.Arbitrary<Drawn[]>) =>
  fc.option(drawNames(drawName("h3", hostTypes), drawName("@", ["MX"]), more).map((records) => [...records, fixed]));

const accountOf = (main: fc.Arbitrary<Drawn[]>, more: fc.Arbitrary<Drawn[]> = fc.constant([])) =>
  fc
    .tuple(main, otherWith(more))
    .map(([records, more]): Account => ({ "example.com": records, ...(more && { "example.org": more }) }));

describe("whatever is refused, a host that is named has its address, and every name its answer, unless the plan tells", () => {
  const cases: [string, fc.Arbitrary<Account>][] = [
    [
      "by MX records",
      accountOf(drawNames(drawName("@", ["MX"]), drawName("h1", hostTypes), drawName("h2", ["A", "CNAME"]))),
    ],
    [
      "by SRV and HTTPS records, beside a wildcard",
      accountOf(
        drawNames(
          drawName("_sip._tcp", ["SRV"]),
          drawName("h1", ["A", "HTTPS"]),
          drawName("h2", ["A", "AAAA", "ALIAS"]),
          drawName("*.w", ["A", "CNAME"]),
        ),
      ),
    ],
    [
      "by aliases",
      accountOf(
        drawNames(drawName("www", ["A", "CNAME", "ALIAS"]), drawName("h1", hostTypes), drawName("h2", ["A", "CNAME"])),
      ),
    ],
    [
      "by redirections of all that is below a name",
      accountOf(
        drawNames(
          drawName("d", ["DNAME"]),
          drawName("www.d", ["A"]),
          drawName("www.t", ["A", "CNAME"]),
          drawName("h2", ["A"]),
          drawName("@", ["MX"]),
        ),
        drawName("www.t", ["A", "MX"]),
      ),
    ],
    [
      "by delegations",
      accountOf(
        drawNames(
          drawName("sub", ["NS", "DS"]),
          drawName("far", ["NS", "DS"]),
          drawName("ns.sub", ["A", "AAAA"]),
          drawName("h1", hostTypes),
          drawName("@", ["MX"]),
        ),
      ),
    ],
  ];
  test.each(cases)("%s", (_title, account) =>
    forDraws(40, account, account, seeds, async (before, after, seed) => {
      expect(await findFaults(before, after, seed)).toEqual(none);
    }),
  );
});

describe("a record that names a host", () => {
  const records = (text: string) => `dns: { example.com: { exclusive: true, records: ${text} } }`;
  const ds = "12345 13 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
  const mx = (name: string, host: string) => record(name, "MX", host, { priority: 10 });
  const waits = ({ steps }: Plan) =>
    Object.fromEntries(
      steps.map(({ id, after }) => [short(id), after.map(short)] as const).filter(([, after]) => after.length > 0),
    );
  const short = (id: string) => id.replace("dns_record/example.com/", "");

  test("comes after its new host, and the old host goes after it, each blocked by what is before", async () => {
    const made = plan(
      await buildInput(
        records(
          "{ mx2: { A: 192.0.2.2, AAAA: '2001:db8::2' }, '@': { MX: [{ priority: 10, value: mx2.example.com. }] } }",
        ),
        inZone(record("mx1", "A", "192.0.2.1"), record("mx1", "AAAA", "2001:db8::1"), mx("@", "mx1.example.com.")),
      ),
    );
    expect(waits(made)).toEqual({
      "update @/MX": ["create mx2/A", "create mx2/AAAA"],
      "delete mx1/A": ["create mx2/A", "update @/MX"],
      "delete mx1/AAAA": ["update @/MX"],
    });
  });

  test("comes after an address that changes in place, where it is new to it, and waits for no other", async () => {
    const made = plan(
      await buildInput(
        records(
          "{ h: { A: 192.0.2.9 }, a: { MX: [{ priority: 10, value: h.example.com. }] }, b: { NS: [far.example.net.] } }",
        ),
        inZone(record("h", "A", "192.0.2.1"), mx("c", "h.example.com.")),
      ),
    );
    expect(waits(made)).toEqual({ "create a/MX": ["update h/A"], "update h/A": ["delete c/MX"] });
  });

  test("and stays has one host with an address all the while: the new address comes before the old one goes", async () => {
    const hosts = ["mx1", "mx2"].map((host) => `${host}.example.com.`);
    const wanted = hosts.map((value) => `{ priority: 10, value: ${value} }`).join(", ");
    const live = inZone(record("mx1", "A", "192.0.2.1"), ...hosts.map((host) => mx("@", host)));
    const made = plan(await buildInput(records(`{ "@": { MX: [${wanted}] }, mx2: { A: 192.0.2.2 } }`), live));
    expect(waits(made)).toEqual({ "delete mx1/A": ["create mx2/A"] });
  });

  test("in a set gives up no host with an address before another of the set has one", async () => {
    const hosts = [record("mx1", "A", "192.0.2.1"), record("mx4", "A", "192.0.2.4")];
    const live = inZone(...hosts, mx("@", "mx1.example.com."), mx("@", "mx2.example.com."));
    const wanted = ["mx3", "mx4"].map((host) => `{ priority: 10, value: ${host}.example.com. }`).join(", ");
    const text = `{ "@": { MX: [${wanted}] }, mx1: { A: 192.0.2.1 }, mx4: { A: 192.0.2.4 } }`;
    const made = plan(await buildInput(records(text), live));
    expect(made.steps.flatMap(({ calls }) => calls)).toMatchObject([
      { before: [{ value: "mx2.example.com." }] },
      { before: [{ value: "mx1.example.com." }] },
    ]);
  });

  test("such as an SPF record comes after the new text that it includes, and the old text goes after it", async () => {
    const spf = (host: string) => `"v=spf1 mx +include:${host} ?Include:mail.other.test redirect=r.example.com. -all"`;
    for (const others of ["", ', "other=1"']) {
      const made = plan(
        await buildInput(
          records(
            `{ new: { TXT: "v=spf1 -all", A: 192.0.2.1 }, r: { TXT: "v=spf1 -all" }, "@": { TXT: [${JSON.stringify(spf("NEW.example.com"))}${others}] } }`,
          ),
          inZone(
            record("old", "TXT", '"v=spf1 -all"'),
            record("old", "A", "192.0.2.1"),
            record("r", "TXT", '"v=spf1 -all"'),
            record("@", "TXT", spf("old.example.com")),
          ),
        ),
      );
      expect(waits(made)).toEqual({ "update @/TXT": ["create new/TXT"], "delete old/TXT": ["update @/TXT"] });
    }
  });

  test("such as a delegation comes after its glue, and a DS after the delegation; they go the other way round", async () => {
    const written = `{ sub: { NS: [ns.sub.example.com.], DS: "${ds}" }, ns.sub: { A: 192.0.2.1 } }`;
    const coming = plan(await buildInput(records(written), inZone()));
    expect(coming.steps.map(({ id }) => short(id))).toEqual(["create ns.sub/A", "create sub/NS", "create sub/DS"]);
    expect(waits(coming)).toEqual({ "create sub/NS": ["create ns.sub/A"], "create sub/DS": ["create sub/NS"] });
    const live = inZone(
      record("sub", "NS", "ns.sub.example.com."),
      record("sub", "DS", ds),
      record("ns.sub", "A", "192.0.2.1"),
      record("x", "A", "192.0.2.1"),
    );
    const going = plan(await buildInput(records("{ x: { A: 192.0.2.1 } }"), live));
    expect(going.steps.map(({ id }) => short(id))).toEqual(["delete sub/DS", "delete sub/NS", "delete ns.sub/A"]);
  });

  test("of which many name one host costs an edge for each host that it had and has", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
    const switched = names.map((name) => `${name}: { MX: [{ priority: 10, value: new.example.com. }] }`).join(", ");
    const made = plan(
      await buildInput(
        records(`{ new: { A: 192.0.2.2 }, ${switched} }`),
        inZone(record("old", "A", "192.0.2.1"), ...names.map((name) => mx(name, "old.example.com."))),
      ),
    );
    expect(made.steps.reduce((sum, { after }) => sum + after.length, 0)).toBe(2 * names.length + 1);
  });

  test("makes no circle: what serves each other is put in some order, the same each time", async () => {
    const written = `{ a: { NS: [ns.b.example.com.] }, b: { NS: [ns.a.example.com.] }, c: { CNAME: d.example.com. }, d: { CNAME: c.example.com. } }`;
    const made = plan(await buildInput(records(written), inZone()));
    expect(made.diagnostics).toEqual([]);
    expect(made.steps).toHaveLength(4);
    expect(plan(await buildInput(records(written), inZone())).steps).toEqual(made.steps);
  });
});

test("steps that would rather come before each other get a stable order, and the outage is reported", () => {
  const wish = (maker: string, breaker: string, host = breaker): AvailabilityConstraint => ({
    name: `${host}.example.com`,
    types: ["NS"],
    holds: (look) =>
      look({ before: true, after: false, step: breaker }) || look({ before: false, after: true, step: maker })
        ? noEvidence()
        : undefined,
    enablingSteps: new Set([maker]),
    disruptingSteps: new Set([breaker]),
    through: new Set(),
  });
  const steps = [makeStep("a"), makeStep("b"), makeStep("c", ["b"])];
  const ordered = withoutOutages(
    steps,
    [],
    [wish("a", "b"), wish("a", "b", "a"), wish("a", "b", "x"), wish("b", "a"), wish("c", "a")],
  );
  const [first, second, third] = ordered.ok ? ordered.steps : [];
  expect([first, second, third].map((step) => step?.id)).toEqual(["b", "c", "a"]);
  expect([first?.after, second?.after, third?.after]).toEqual([[], ["b"], ["b", "c"]]);
  expect(first?.gaps).toEqual(
    ["a", "b", "x"].map((host) => ({ name: `${host}.example.com`, types: ["NS"], until: "a" })),
  );
});
