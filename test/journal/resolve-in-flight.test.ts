import { describe, expect, test } from "vitest";
import { resolveInFlight } from "../../src/journal/resolve-in-flight.ts";
import type { Intent } from "../../src/model/journal.ts";
import { collectionOf, locate } from "../../src/kinds/derived/collection.ts";
import type { Address } from "../../src/model/address.ts";
import type { Plan, Step } from "../../src/model/plan.ts";
import type { Fields, PreparedLive, RemoteId } from "../../src/model/resource.ts";
import { intent, noon, www } from "./journal-samples.ts";

describe("what was in flight", () => {
  const box = "mailbox/info@a.example" as Address;
  const certificate = "certificate/a.example/managed" as Address;
  const domain = "domain/a.example" as Address;
  const later = "2027-06-01T00:00:00Z";

  function live(
    address: Address,
    remotes: readonly { id: string; fields?: Fields }[],
    incomplete?: string,
  ): PreparedLive {
    const { kind, key } = locate(address);
    const { id, scope } = collectionOf(kind, key);
    const whole = remotes.map((each) => ({
      id: each.id as RemoteId,
      etag: undefined,
      raw: {},
      fields: each.fields ?? {},
    }));
    return {
      resources: new Map(whole.length === 0 ? [] : [[address, { address, kind: kind.name, key, remotes: whole }]]),
      collections: new Map([
        [
          id,
          {
            id,
            kind: kind.name,
            scope,
            list: id,
            addresses: [address],
            ...(incomplete !== undefined && { incomplete }),
          },
        ],
      ]),
      reads: 1,
    } as Partial<PreparedLive> as PreparedLive;
  }
  const planOf = (address: Address, ...operations: readonly Intent["operation"][]): Plan => {
    const calls = operations.map((operation) => ({ operation }));
    const step = { id: "s", address, calls } as unknown as Step;
    return { steps: operations.length === 0 ? [] : [step] } as unknown as Plan;
  };
  const fate = (more: Partial<Intent>, state: PreparedLive, ...planned: readonly Intent["operation"][]) => {
    const { identity: _identity, ...plain } = intent(1);
    const of = { ...plain, ...more };
    return resolveInFlight({ intent: of, doneBeside: 0 }, state, planOf(of.address, ...planned));
  };
  const done = { is: "done" };
  const plannedAgain = { is: "not_done", planned: true };

  test("a creation is done where what it makes is there", () => {
    expect(fate({ address: box, ids: [] }, live(box, [{ id: "m1" }]))).toEqual(done);
    expect(fate({ address: box, ids: [] }, live(box, []), "create")).toEqual(plannedAgain);
    expect(fate({ address: box, ids: [] }, live(box, []))).toEqual({ is: "not_done", planned: false });
  });

  test("a creation that was answered is found under another name, and is done once that is what the manifest has", () => {
    const other = "mailbox/Info@a.example" as Address;
    const sent = { ...intent(1), address: box, ids: [] };
    const answered = "m1" as RemoteId;
    const found = (state: PreparedLive, plan: Plan) =>
      resolveInFlight({ intent: sent, doneBeside: 0, answered }, state, plan);
    const leftOut = { ...planOf(box), leftOut: [box] };
    const without = { ...planOf(box), leftOut: [] };
    const renamed = { is: "renamed", id: answered, name: other };
    expect(found(live(other, [{ id: "m1" }]), planOf(box, "create"))).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), leftOut)).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), without)).toEqual({ ...renamed, wanted: false });
    expect(found(live(other, [{ id: "m2" }]), planOf(box, "create"))).toEqual(plannedAgain);
    expect(found(live(box, [{ id: "m1" }]), planOf(box))).toEqual(done);
  });

  test("a record is known by its content, one that is secret by its being new", () => {
    const record = (id: string, content: string) => ({ id, fields: { content } });
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.1")]))).toEqual(done);
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.9")]), "create")).toEqual(plannedAgain);
    expect(fate({ ids: ["r"] }, live(www, [record("r", "x"), record("s", "y")]))).toEqual(done);
    const { identity: _identity, ...secret } = intent(1, { ids: ["r"] });
    const beside = { intent: secret, doneBeside: 1 };
    expect(
      resolveInFlight(beside, live(www, [record("r", "x"), record("s", "y")]), planOf(www, "create")),
      "the new one is of a creation before it",
    ).toEqual(plannedAgain);
  });

  test("a certificate is done where a newer one is listed", () => {
    expect(fate({ address: certificate, ids: ["c1"] }, live(certificate, [{ id: "c2" }]))).toEqual(done);
    expect(fate({ address: certificate, ids: ["c1"] }, live(certificate, [{ id: "c1" }]), "create")).toEqual(
      plannedAgain,
    );
  });

  test("a renewal is done where its expiry is later, and else nobody knows", () => {
    const renew: Partial<Intent> = {
      address: domain,
      operation: "renew",
      before: { field: "expires_at", value: noon },
    };
    expect(fate(renew, live(domain, [{ id: "d", fields: { expires_at: later } }]))).toEqual(done);
    expect(fate(renew, live(domain, [{ id: "d", fields: { expires_at: noon } }]), "renew")).toMatchObject({
      is: "untold",
      again: true,
    });
  });

  test("a deletion is done where that object is gone, though another has its name", () => {
    const gone: Partial<Intent> = { address: box, operation: "delete", ids: ["m1"] };
    expect(fate(gone, live(box, [{ id: "m2" }]))).toEqual(done);
    expect(fate(gone, live(box, [{ id: "m1" }]), "delete")).toEqual(plannedAgain);
  });

  test("an update is done where nothing is left of it to do; one of a password where the server tells so", () => {
    expect(fate({ address: box, operation: "update" }, live(box, [{ id: "m1" }]))).toEqual(done);
    expect(fate({ address: box, operation: "update" }, live(box, [{ id: "m1" }]), "update")).toEqual(plannedAgain);
    const password: Partial<Intent> = { address: box, operation: "update", write_only: ["password"] };
    const before = { field: "password_updated_at", value: noon };
    const told = live(box, [{ id: "m1", fields: { password_updated_at: later } }]);
    expect(fate({ ...password, before }, told)).toEqual(done);
    expect(fate({ ...password, before: { ...before, value: later } }, told)).toMatchObject({
      is: "not_done",
      hint: `to send its password again: --rotate ${box}`,
    });
    expect(fate(password, live(box, [{ id: "m1" }]))).toMatchObject({ is: "untold", again: false });
    // What is planned again for another field does not send the password, unless something asks for that.
    const hint = `to send its password again: --rotate ${box}`;
    expect(fate(password, live(box, [{ id: "m1" }]), "update")).toEqual({ ...plannedAgain, hint });
    expect(fate({ ...password, before }, told, "update")).toEqual(plannedAgain);
  });

  test("in an incomplete list has an unknown outcome; a write that may be sent twice stops nothing", () => {
    expect(fate({ address: box }, live(box, [], "GET: 500"), "create")).toMatchObject({ is: "untold", again: true });
    expect(fate({ address: box, operation: "delete" }, live(box, [], "GET: 500"))).toMatchObject({ again: false });
  });
});
