import { describe, expect, test } from "vitest";
import { describeReason } from "../../src/messages/step-reasons.ts";
import type { Plan } from "../../src/model/plan.ts";
import { nothingOwned } from "../../src/model/plan-input.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput } from "./build-input.ts";

const now = Date.parse("2026-06-01T00:00:00Z");
const box = "mailbox/info@example.com";
const rotate = { rotations: addresses(box) };

/** The plan for one mailbox with this body, whose password the server has from then. */
async function planOf(body: string, last: string | null, consent = {}): Promise<Plan> {
  const manifest = `domains: { example.com: }\nmail: { example.com: { mailboxes: { info: { ${body} } } } }`;
  const live = { id: "m1", address: "info@example.com", quota_mb: 1024, status: "active", password_updated_at: last };
  const lists = { "/domains": [{ id: "d1", name: "example.com" }], "/mail/accounts?domain=example.com": [live] };
  return plan(await buildInput(manifest, lists, consent, now));
}

const password = 'password: "${env:SECRET}"';

describe("a write-only field is sent again", () => {
  test("when --rotate names its address, and shows neither value", async () => {
    const made = await planOf(password, "2026-01-01T00:00:00Z", rotate);
    expect(made.steps).toMatchObject([
      {
        action: "update",
        reason: { is: "rotation_requested" },
        changes: [{ path: "password", before: { is: "sensitive" }, after: { is: "sensitive" } }],
        calls: [{ method: "PUT", values: [{ pointer: "/password", secret: expect.anything() }] }],
      },
    ]);
    expect(JSON.stringify(made.steps)).not.toContain("a secret value");
  });

  test("together with what has changed besides, in one call", async () => {
    const made = await planOf(`${password}, quota: 2 GiB`, "2026-01-01T00:00:00Z", rotate);
    expect(made.steps.flatMap(({ calls }) => calls)).toHaveLength(1);
    expect(made.steps.map(describeReason)[0]).toBe("quota_mb differs from the manifest; requested with --rotate");
  });

  test.each([
    ["a day after it was set", "2026-05-01", "2026-04-30T23:59:59Z", 1],
    ["the moment at which it was set", "2026-05-01", "2026-05-01T00:00:00Z", 0],
    ["a moment of the second in which it was set", "2026-05-01T00:00:00.900Z", "2026-05-01T00:00:00.100Z", 0],
    ["a time in another zone, later", "2026-05-01T00:00:00-02:00", "2026-05-01T01:00:00Z", 1],
    ["a time that is still to come", "2026-06-02", "2026-05-01T00:00:00Z", 0],
  ])("when rotate_after is %s", async (_, after, last, steps) => {
    const made = await planOf(`${password}, rotate_after: "${after}"`, last);
    expect(made.steps).toHaveLength(steps);
    expect(made.diagnostics).toEqual([]);
  });
});

test("a step that sends a secret again has its reason, and no origin by what was declared before", async () => {
  const domains = "domains: { example.com: }\n";
  const declare = (body: string) => `${domains}mail: { example.com: { mailboxes: { info: { ${body} } } } }`;
  const originsOf = async (then: string, body: string) => {
    const { desired: declaredThen } = await buildInput(declare(then), {});
    const live = { id: "m1", address: "info@example.com", quota_mb: 1024, password_updated_at: null };
    const lists = { "/domains": [{ id: "d1", name: "example.com" }], "/mail/accounts?domain=example.com": [live] };
    const input = await buildInput(declare(body), lists, rotate, now, { ownership: { ...nothingOwned, declaredThen } });
    return plan(input).steps.map(({ origin }) => origin);
  };
  expect(await originsOf("quota: 1 GiB", password)).toEqual([undefined]);
  expect(await originsOf(`quota: 2 GiB`, `${password}, quota: 2 GiB`)).toEqual(["drift"]);
});

describe("it is reported", () => {
  test("that the API does not return when it was set", async () => {
    const made = await planOf(`${password}, rotate_after: 2026-05-01`, null);
    expect(made.steps).toEqual([]);
    expect(made.diagnostics).toMatchObject([{ severity: "warning", code: "rotation_unknown" }]);
  });

  test.each([
    ["there is nothing to send", rotate, /: the manifest has no password for this mailbox$/u, [expect.anything()]],
    ["it is not declared", { rotations: addresses("mailbox/other@example.com") }, /no manifest declares it/u, []],
  ])("that %s", async (_, consent, summary, places) => {
    const made = await planOf("quota: 1 GiB", null, consent);
    expect(made.diagnostics).toMatchObject([
      { severity: "error", code: "bad_rotation", summary: expect.stringMatching(summary) },
    ]);
    expect(made.diagnostics.flatMap(({ at }) => at ?? [])).toEqual(places);
  });

  test("which address is near one that is not declared", async () => {
    const made = await planOf(password, null, { rotations: addresses("mailbox/infi@example.com") });
    expect(made.diagnostics).toMatchObject([{ code: "bad_rotation", hint: `did you mean ${box}?` }]);
  });

  test("that rotate_after has nothing to send", async () => {
    await expect(planOf("rotate_after: 2026-05-01", null)).rejects.toThrow("nothing_to_rotate");
  });
});
