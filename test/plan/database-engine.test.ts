import { describe, expect, test } from "vitest";
import type { Plan } from "../../src/model/plan.ts";
import { plan } from "../../src/plan/plan.ts";
import { addresses, buildInput, service, type Lists } from "./build-input.ts";

const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

describe("a database of another engine", () => {
  const grant = (database: string) => ({ database, privileges: "all" });
  const lists = (...granted: string[]): Lists => ({
    "/services": [service],
    "/databases?service_id=s1": [
      { id: "b1", service_id: "s1", name: "shop", engine: "mysql", charset: "latin1", collation: "latin1_bin" },
      { id: "b2", service_id: "s1", name: "blog", engine: "mysql" },
    ],
    "/database-users?service_id=s1": [
      { id: "u1", service_id: "s1", username: "shop", host: "localhost", grants: granted.map(grant) },
    ],
  });
  const manifest = (user: string) =>
    `services: { example.com: {} }\ndatabases: { example.com: { databases: { shop: { engine: mariadb }, blog: {} }, users: { shop: ${user} } } }`;
  const consent = { deletes: addresses("database/example.com/shop") };
  const user = "database_user/example.com/shop@localhost";
  const written = (value: unknown) => [expect.objectContaining({ pointer: "/grants", value })];

  test.each([
    ["with its grants written", "{ grants: { shop: all, blog: all } }"],
    ["without", "{}"],
  ])(
    "leaves the user whom two are granted to: it lets go of the grant, and takes it back (%s)",
    async (_, declared) => {
      const made = plan(await buildInput(manifest(declared), lists("shop", "blog"), consent));
      expect(made.refusals).toEqual([]);
      expect(ids(made)).toEqual([
        `detach ${user}`,
        "delete database/example.com/shop",
        "create database/example.com/shop",
        `update ${user}`,
      ]);
      expect(made.steps.flatMap(({ calls }) => calls)).toMatchObject([
        { method: "PUT", values: written([grant("blog")]) },
        { method: "DELETE" },
        { method: "POST" },
        { method: "PUT", values: written([grant("blog"), grant("shop")]) },
      ]);
    },
  );

  test("makes one call of a user whose grant is new, or goes", async () => {
    const newGrant = plan(await buildInput(manifest("{ grants: { shop: all } }"), lists("blog"), consent));
    expect(ids(newGrant).filter((id) => id.includes(user))).toEqual([`update ${user}`]);
    const gone = plan(await buildInput(manifest("{ grants: { blog: all } }"), lists("shop"), consent));
    expect(ids(gone)).toEqual([
      `update ${user}`,
      "delete database/example.com/shop",
      "create database/example.com/shop",
    ]);
  });

  test("shows what the manifest writes of it as it was, though it stays the same", async () => {
    const text = manifest("{}").replace("engine: mariadb", "engine: mariadb, charset: latin1");
    const made = plan(await buildInput(text, lists(), consent));
    const [charset] = made.steps.flatMap(({ changes }) => changes.filter(({ path }) => path === "charset"));
    const latin1 = { is: "value", value: "latin1" };
    expect(charset).toMatchObject({ before: latin1, after: latin1 });
    expect(charset?.carried, "it comes from the manifest").toBeUndefined();
  });

  test("does not keep what follows the engine, and says so", async () => {
    const made = plan(await buildInput(manifest("{}"), lists(), consent));
    const creation = made.steps.find(({ action }) => action === "create");
    expect(creation?.changes).toMatchObject([
      { path: "engine", forcesReplace: true },
      { path: "charset", before: { value: "latin1" }, notCarried: "depends on engine" },
      { path: "collation", before: { value: "latin1_bin" }, notCarried: "depends on engine" },
    ]);
    expect(creation?.calls).toMatchObject([{ values: [{ field: "service" }, { field: "name" }, { field: "engine" }] }]);
  });
});
