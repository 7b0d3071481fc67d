import { expect, test } from "vitest";
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
