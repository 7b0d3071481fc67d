import { expect, test } from "vitest";
import { kindNamed } from "../../src/kinds/index.ts";
import type { Body, Remote, RemoteId } from "../../src/model/resource.ts";
import { inOrder } from "../../src/plan/pair-objects.ts";

const key = { zone: "example.com", name: "www", type: "A" };
const remote = (content: string): Remote => ({
  id: content as RemoteId,
  etag: undefined,
  raw: {},
  fields: { content },
});

test("a record whose new value only the run will know is changed after the others have gone", () => {
  const unknown = {
    fields: { content: { is: "unknown", parts: [] } },
  } as unknown as Body;
  const changed = {
    body: unknown,
    remote: remote("192.0.2.1"),
    changed: ["content"],
  };
  const gone = { body: undefined, remote: remote("192.0.2.2"), changed: [] };
  expect(inOrder(kindNamed("dns_record"), key, [changed, gone])).toEqual([gone, changed]);
});
