import { expect, test } from "vitest";
import type { Address } from "../../src/model/address.ts";
import { service } from "../plan/build-input.ts";
import { draftOf, nothingToDo, planOf } from "./draft.ts";

const cron = (id: string, name: string, minute = 0) => ({
  id,
  etag: `e${id}`,
  service: "example.com",
  name,
  schedule: `${minute} 3 * * *`,
  command: `run ${id}`,
  enabled: true,
});

test("objects of one address are left out with the reason, and the rest of their list is imported", async () => {
  const lists = {
    "/services": [service],
    "/crons?service_id=s1": [cron("c1", "backup", 1), cron("c2", "nightly"), cron("c3", "backup", 3)],
  };
  const draft = await draftOf(lists);
  expect([...planOf(draft).desired.resources.keys()]).toEqual(["service/example.com", "cron/example.com/nightly"]);
  expect(draft.declared.omissions).toMatchObject([
    {
      of: "cron/example.com/backup",
      reason: "2 objects have this address",
      values: [/schedule 1 3/u, /schedule 3 3/u].map((each) => expect.stringMatching(each)),
    },
  ]);
  expect(planOf(draft)).toMatchObject(nothingToDo);
});

test("what belongs to the rest of a list is imported, and what belongs to objects of one address is not", async () => {
  const other = { ...service, id: "s2", domain: "two.example" };
  const lists = {
    "/services": [service, other, { ...other, id: "s3" }],
    "/crons?service_id=s1": [cron("c1", "backup")],
    "/crons?service_id=s2": [{ ...cron("c2", "backup"), service: "two.example" }],
  };
  const draft = await draftOf(lists);
  expect([...planOf(draft).desired.resources.keys()]).toEqual(["service/example.com", "cron/example.com/backup"]);
  expect(draft.declared.omissions.map(({ of }) => of)).toContain("service/two.example");
});

test.each([
  [1, 2],
  [2, 1],
])(
  "of two certificates for the same names, made on days %i and %i, the newest is imported at its service",
  async (...days) => {
    const made = (day: number) => ({
      id: `c${day}`,
      service_id: `s${day}`,
      domains: ["www.example.com"],
      type: "managed",
      status: "issued",
      created_at: `2026-01-0${day}T00:00:00Z`,
    });
    const draft = await draftOf({
      "/services": [service, { ...service, id: "s2", domain: "two.example" }],
      "/ssl/certificates": days.map(made),
    });
    expect(draft.declared.omissions).toEqual([]);
    const imported = planOf(draft).desired.resources.get("certificate/www.example.com/managed" as Address);
    expect(imported?.key["service"]).toBe("two.example");
    expect(planOf(draft)).toMatchObject(nothingToDo);
  },
);
