import { describe, expect, test } from "vitest";
import { dataOf, inZone, loadBody, loadText, places } from "../load-text.ts";

describe("a mistake", () => {
  test("a manifest of another version of the format is refused with that version", async () => {
    const { diagnostics } = await loadText("version: 2\nname: a\n");
    expect(places(diagnostics)).toEqual(["wrong_value 1:10"]);
    expect(diagnostics[0]).toMatchObject({
      summary: '"version" is 2',
      detail: "the number 1",
      description: "The version of this format.",
    });
  });

  test("names the first of two equal items", async () => {
    const { diagnostics } = await loadBody("domains: {a.b: {nameservers: [x.y, x.y]}}");
    expect(diagnostics[0]?.related).toEqual([
      { at: expect.objectContaining({ line: 3, col: 31 }), message: "first written here" },
    ]);
  });

  test("never shows a secret that is of the wrong type or form", async () => {
    const { diagnostics } = await loadBody(
      "mail: {a.b: {mailboxes: {a: {password: [hunter2], pasword: hunter2}}}}\nprovider: {token: hunter2}\nftp: {a.b: {accounts: {x: {password: {hunter2: }}}}}\ncertificates: {a.b: [{domains: [a.b], private_key: {hunter2: }}]}",
    );
    expect(diagnostics).toHaveLength(5);
    expect(JSON.stringify(diagnostics)).not.toContain("hunter2");
  });

  test.each([
    ["true", "true", "transfer: true"],
    ["12345678", "(sensitive)", "transfer: (sensitive)"],
    ["hunter2", "(sensitive)", "transfer: (sensitive)"],
    ['"true"', "(sensitive)", "transfer: (sensitive)"],
  ])("shows under a key that may hold a secret what cannot be one: %s", async (value, told, excerpt) => {
    const { diagnostics } = await loadBody(`domains: { t.example: { transfer: ${value} } }`);
    expect(diagnostics.map(({ summary }) => summary)).toEqual([`"transfer" in domains > t.example is ${told}`]);
    expect(diagnostics[0]?.frame).toContain(`{ ${excerpt} }`);
  });

  test("a missing version or name at the root is reported once for all files", async () => {
    const { diagnostics } = await loadText("services: {}\n");
    expect(diagnostics.map(({ summary }) => summary)).toEqual([
      '"version" is missing in the manifest',
      '"name" is missing in the manifest',
    ]);
    expect(diagnostics.map(({ hint }) => hint)).toEqual(["write version: 1", "write name: agency-main"]);
  });

  test("does not hide another one: they are sorted by place", async () => {
    const { diagnostics } = await loadBody(
      "policy: {max_deletes: -1}\ncrons: {a.b: {jobs: {x: {timeout_s: no}}}}\ndefaults: {tll: 2}\n",
    );
    expect(places(diagnostics)).toEqual(["out_of_range 3:23", "wrong_type 4:37", "unknown_key 5:12"]);
  });

  test("is left out of the tree, and what cannot do without it too", async () => {
    const loaded = await loadBody(
      `${inZone("a: {A: 192.0.2.1, MX: [{priority: x, value: a.}]}\nb: {TXT: []}\n'@': {MX: [{priority: 1, value: a.}, {value: b.}]}")}\nservices: {example.com: {plan: [], datacenter: X}}`,
    );
    expect(loaded.diagnostics).toHaveLength(4);
    expect(dataOf(loaded)).toEqual({
      version: 1,
      name: "agency-main",
      dns: { "example.com": { records: { a: { A: "192.0.2.1" }, "@": { MX: [{ priority: 1, value: "a." }] } } } },
      services: { "example.com": { datacenter: "X" } },
    });
  });
});
