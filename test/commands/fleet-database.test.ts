import { expect, test } from "vitest";
import { runInProcess } from "../support/in-process.ts";

test("an address of the database that is an empty text is refused, and no database is begun in its place", async () => {
  const ran = await runInProcess({ flags: [], env: { HOSTFORM_DATABASE_URL: "" } }, ["fleet", "migrate"]);
  expect(ran.status).toBe(3);
  expect(ran.printed).toContain("HOSTFORM_DATABASE_URL is set to an empty text");
  expect(ran.printed).toContain("give it postgres://");
});
