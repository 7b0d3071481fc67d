import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { withoutOutages } from "../../src/order/avoid-outages.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";
import { addresses, buildInput, record, service, zone, type Lists } from "../plan/build-input.ts";
import { cron, liveJobs } from "../plan/crons.ts";
import { plainPage } from "../support/plain-page.ts";

const records = (text: string) => `dns: { example.com: { exclusive: true, records: ${text} } }`;
const inZone = (...live: ReturnType<typeof record>[]): Lists => ({
  "/dns/zones": [zone],
  "/dns/zones/z1/records": live,
});
const ids = ({ steps }: Plan) => steps.map(({ id }) => id.replace("dns_record/example.com/", ""));
const gaps = ({ steps }: Plan) => steps.flatMap((step) => step.gaps ?? []);

describe("a name that gets a CNAME", () => {
  test("loses all else right before, however much that is, and the plan tells of each type", async () => {
    const values: Record<string, string> = {
      A: "192.0.2.1",
      AAAA: "2001:db8::1",
      CAA: '0 issue "ca.test"',
      HTTPS: "1 .",
      MX: "mx.example.net.",
      SSHFP: "1 1 0123456789abcdef0123456789abcdef01234567",
      TXT: "x",
    };
    const live = Object.entries(values).map(([type, content]) =>
      record("www", type, content, { priority: type === "MX" ? 10 : null }),
    );
    const made = plan(
      await buildInput(records("{ aaa: { A: 192.0.2.1 }, www: { CNAME: example.net. } }"), inZone(...live)),
    );
    const types = Object.keys(values);
    expect(ids(made)).toEqual(["create aaa/A", ...types.map((type) => `delete www/${type}`), "create www/CNAME"]);
    expect(made.steps.map(({ after }) => after.length)).toEqual([0, ...types.map(() => 0), types.length]);
    const until = "create dns_record/example.com/www/CNAME";
    expect(gaps(made)).toEqual(types.map((type) => ({ name: "www.example.com", types: [type], until })));
  });

  test("is printed with the numbers of the steps", async () => {
    const made = plan(
      await buildInput(records("{ www: { CNAME: a.example.net. } }"), inZone(record("www", "A", "192.0.2.1"))),
    );
    expect(renderPlan(made, { ...plainPage, width: 160, showIgnored: false, now: 0 })).toContain(
      "! www.example.com has no answer for A between step 1 and 2 (create dns_record/example.com/www/CNAME)\n",
    );
  });

  test("that is another one, beside a comment, has no answer while its step runs", async () => {
    const live = inZone(record("www", "CNAME", "a.example.net.", { comment: "by hand" }));
    const made = plan(await buildInput(records("{ www: { CNAME: b.example.net. } }"), live));
    expect(renderPlan(made, { ...plainPage, width: 160, showIgnored: false, now: 0 })).toContain(
      "! www.example.com has no answer for A, AAAA, HTTPS, MX, SRV, TXT while step 1 runs (update dns_record/example.com/www/CNAME)\n",
    );
  });
});

describe("no outage is reported", () => {
  test("where what goes was disabled, or what comes is", async () => {
    const live = inZone(record("a", "A", "192.0.2.1", { disabled: true }), record("b", "A", "192.0.2.1"));
    const made = plan(
      await buildInput(
        records("{ a: { CNAME: example.net. }, b: { CNAME: [{ value: example.net., disabled: true }] } }"),
        live,
      ),
    );
    expect(ids(made)).toHaveLength(4);
    expect(gaps(made)).toEqual([]);
  });

  test("for names that point to one with an outage: only that one is reported", async () => {
    const live = inZone(
      record("web", "A", "192.0.2.1"),
      record("a", "CNAME", "web.example.com."),
      record("b", "CNAME", "web.example.com."),
    );
    const manifest = "{ web: { CNAME: example.net. }, a: { CNAME: web.example.com. }, b: { CNAME: web.example.com. } }";
    expect(gaps(plan(await buildInput(records(manifest), live))).map(({ name }) => name)).toEqual(["web.example.com"]);
  });
});

test("a value that only apply will know is written once the others have given up theirs: it may be one of them", async () => {
  const manifest = `services: { example.com: { plan: WEB-M, datacenter: MAD1 } }
databases: { example.com: { databases: { shop: { engine: mariadb } } } }
${records('{ www: { TXT: ["${ref:database/example.com/shop.host}", new] } }')}`;
  const live = { ...inZone(record("www", "TXT", "one"), record("www", "TXT", "two")), "/services": [service] };
  const made = plan(await buildInput(manifest, live));
  const update = made.steps.find(({ id }) => id === "update dns_record/example.com/www/TXT");
  expect(
    update?.calls.map((call) => (call.operation === "update" ? call.values.map((value) => "parts" in value) : [])),
  ).toEqual([
    [false, false, false],
    [false, false, true],
  ]);
});

test("a zone that goes with its records is deleted whatever its version is by then: each deleted record counts it up; nothing else is", async () => {
  const manifest =
    "removed: [{ address: dns_zone/example.com, action: delete }, { address: dns_record/example.com/www/A, action: delete }]";
  const consent = { deletes: addresses("dns_zone/example.com") };
  const made = plan(await buildInput(manifest, inZone(record("www", "A", "192.0.2.1")), consent));
  expect(
    made.steps.map(({ calls }) => calls.map((call) => call.operation === "delete" && call.etag !== undefined)),
  ).toEqual([[true], [false]]);
  const alone = plan(
    await buildInput("removed: [{ address: dns_zone/example.com, action: delete }]", inZone(), consent),
  );
  expect(alone.steps[0]?.calls).toMatchObject([{ operation: "delete", etag: "ez1" }]);
  const withJob = plan(
    await buildInput(
      `removed: [{ address: service/example.com, action: delete }, { address: ${cron("nightly")}, action: delete }]`,
      liveJobs("nightly"),
      { deletes: addresses("service/example.com") },
    ),
  );
  expect(withJob.steps.map(({ calls }) => calls)).toMatchObject([[{ etag: "e-nightly" }], [{ etag: "es1" }]]);
});

test("steps that need each other in a circle are given back as the path that they make", () => {
  const ordered = withoutOutages(
    [makeStep("z"), makeStep("a", ["c"]), makeStep("b", ["a"]), makeStep("c", ["b", "z"])],
    [],
    [],
  );
  expect(ordered).toEqual({ ok: false, cycle: ["a", "c", "b", "a"] });
});

test("where nothing is weighed, the order is that of steps beside which something is", async () => {
  // Of what no step does nothing depends.
  const foreign = { name: "other.example", types: [], enablingSteps: new Set<string>(), through: new Set<string>() };
  const preference = { ...foreign, disruptingSteps: new Set(["other"]), holds: () => undefined };
  const afterOf = fc.uniqueArray(fc.constantFrom("0", "1", "2", "3", "4", "5", "outside"), { maxLength: 2 });
  await forDraws(500, fc.array(afterOf, { maxLength: 6 }), (all) => {
    const ranked = all.map((after, index) => makeStep(String(index), after.toSorted()));
    expect(withoutOutages(ranked, [], [])).toEqual(withoutOutages(ranked, [], [preference]));
  });
});
