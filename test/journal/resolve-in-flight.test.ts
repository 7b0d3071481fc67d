import { describe, expect, test } from "vitest";
import { resolveInFlight, resolveMade } from "../../src/journal/resolve-in-flight.ts";
import type { Intent } from "../../src/model/journal.ts";
import { collectionOf, locate } from "../../src/kinds/derived/collection.ts";
import type { Address } from "../../src/model/address.ts";
import type { Plan, Step } from "../../src/model/plan.ts";
import type { Fields, PreparedLive, RemoteId } from "../../src/model/resource.ts";
import { builtIn } from "../support/built-in-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
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
    return resolveInFlight({ intent: of, doneBeside: 0 }, state, planOf(of.address, ...planned), builtIn);
  };
  const done = { is: "done" };
  const plannedAgain = { is: "not_done", planned: true };

  test("a creation is done where what it makes is there", () => {
    expect(fate({ address: box, ids: [] }, live(box, [{ id: "m1" }]))).toEqual(done);
    expect(fate({ address: box, ids: [] }, live(box, []), "create")).toEqual(plannedAgain);
    expect(fate({ address: box, ids: [] }, live(box, []))).toEqual({ is: "not_done", planned: false });
  });

  test("a creation without a name is not known to be not done once the manifest has another value in its place", () => {
    const job = "cron/a.example/nightly" as Address;
    const cron = { ...builtIn.kinds["cron"], named_by: "command" } as Contract["kinds"][string];
    const contract = { kinds: { ...builtIn.kinds, cron } };
    const sent = { ...intent(1), address: job, identity: "/bin/old", ids: [] };
    const now = (...commands: readonly string[]) => {
      const calls = commands.map((value) => ({ operation: "create", values: [{ field: "command", value }] }));
      const planned = { steps: [{ id: "s", address: job, calls }] } as unknown as Plan;
      return resolveInFlight({ intent: sent, doneBeside: 0 }, live(job, []), planned, contract);
    };
    expect(now("/bin/old")).toEqual(plannedAgain);
    const reason = "the API gives it no name, and the manifest declares it with another value now";
    expect(now("/bin/new")).toEqual({ is: "untold", reason, again: false });
    expect(now()).toMatchObject({ is: "untold", again: false });
  });

  test("a creation that was answered is found under another name, and is done once that is what the manifest has", () => {
    const other = "mailbox/Info@a.example" as Address;
    const sent = { ...intent(1), address: box, ids: [] };
    const answered = "m1" as RemoteId;
    const found = (state: PreparedLive, plan: Plan) =>
      resolveInFlight({ intent: sent, doneBeside: 0, answered }, state, plan, builtIn);
    const leftOut = { ...planOf(box), leftOut: [box] };
    const without = { ...planOf(box), leftOut: [] };
    const renamed = { is: "renamed", id: answered, name: other };
    expect(found(live(other, [{ id: "m1" }]), planOf(box, "create"))).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), leftOut)).toEqual({ ...renamed, wanted: true });
    expect(found(live(other, [{ id: "m1" }]), without)).toEqual({ ...renamed, wanted: false });
    expect(found(live(other, [{ id: "m2" }]), planOf(box, "create"))).toEqual(plannedAgain);
    expect(found(live(box, [{ id: "m1" }]), planOf(box))).toEqual(done);
  });

  test("an object without a name, which no manifest declares now, is found under its id", () => {
    const address = "cron/a.example/nightly" as Address;
    const kinds = { cron: { ...builtIn.kinds["cron"], named_by: "command" } } as Contract["kinds"];
    const there = live("cron/a.example/j2" as Address, [{ id: "j2" }]);
    const outcome = (more: Partial<Intent>, answered?: string, state = there, planned: readonly "create"[] = []) => {
      const sent = { intent: { ...intent(1), address, ...more }, doneBeside: 0 };
      const inFlight = { ...sent, ...(answered !== undefined && { answered: answered as RemoteId }) };
      return resolveInFlight(inFlight, state, planOf(address, ...planned), { kinds });
    };
    expect(outcome({ ids: [] }, "j2", there, ["create"]), "planned with another command").toEqual(done);
    expect(outcome({ ids: [] }), "it may be any of those that are there").toMatchObject({ is: "untold", again: false });
    expect(outcome({ ids: [] }, undefined, live(address, []), ["create"])).toEqual(plannedAgain);
    expect(outcome({ operation: "delete", ids: ["j2"] })).toEqual({ is: "not_done", planned: false });
    expect(outcome({ operation: "delete", ids: ["j1"] })).toEqual(done);
    const { at, method, path } = intent(1);
    const made = { at, address, method, path, operation: "create", id: "j2" as RemoteId } as const;
    expect(resolveMade(made, there, planOf(address), { kinds })).toBeUndefined();
    expect(resolveMade(made, live(address, []), planOf(address), { kinds })).toMatchObject({ is: "unlisted" });
  });

  test("a record is known by its content, one that is secret by its being new", () => {
    const record = (id: string, content: string) => ({ id, fields: { content } });
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.1")]))).toEqual(done);
    expect(fate({ identity: "192.0.2.1" }, live(www, [record("r", "192.0.2.9")]), "create")).toEqual(plannedAgain);
    expect(fate({ ids: ["r"] }, live(www, [record("r", "x"), record("s", "y")]))).toEqual(done);
    const { identity: _identity, ...secret } = intent(1, { ids: ["r"] });
    const beside = { intent: secret, doneBeside: 1 };
    expect(
      resolveInFlight(beside, live(www, [record("r", "x"), record("s", "y")]), planOf(www, "create"), builtIn),
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
