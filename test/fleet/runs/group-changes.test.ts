import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { groupChanges, type AccountChanges } from "../../../src/fleet/runs/group-changes.ts";
import { toAddress } from "../../../src/model/address.ts";
import type { Json } from "../../../src/model/json.ts";
import type { Change, Step } from "../../../src/model/plan.ts";
import { forDraws } from "../../support/for-draws.ts";
import { makeStep } from "../../support/make-step.ts";

const change = (path: string, before: Json, after: Json): Change => ({
  path,
  before: { is: "value", value: before },
  after: { is: "value", value: after },
});
const record = (
  domain: string,
  name: string,
  type: string,
  changes: readonly Change[],
  more: Partial<Step> = {},
): Step => ({
  ...makeStep(`${domain}/${name}/${type}`),
  address: toAddress("dns_record", [domain, name, type]),
  changes,
  ...more,
});
const spf = (domain: string) =>
  record(domain, "@", "TXT", [change("values", [`v=spf1 a:old.host.example -all`], [`v=spf1 a:mail.${domain} -all`])]);
const deletion = (domain: string, name = "old") => record(domain, name, "A", [], { action: "delete" });
const shop = (
  name: string,
  more: (domain: string) => readonly Step[] = () => [],
  domains = [`${name}.example`],
): AccountChanges => ({
  account: name,
  domains,
  names: [name],
  steps: domains.flatMap((domain) => [spf(domain), ...more(domain)]),
});
const shops = (count: number, more?: (domain: string) => readonly Step[]) =>
  Array.from({ length: count }, (_, index) => shop(`shop${index}`, more));
const brief = (accounts: readonly AccountChanges[]) =>
  groupChanges(accounts).map(({ accounts, changes }) => [accounts.length, changes.map(({ address }) => address)]);

describe("equal changes of many accounts", () => {
  test("are one group, and the account with one more deletion stands first", () => {
    const odd = shop("odd", (domain) => [deletion(domain)]);
    const groups = groupChanges([...shops(450), odd, ...shops(899).slice(450)]);
    expect(groups.map(({ accounts }) => accounts.length)).toEqual([1, 899]);
    expect(groups[0]?.accounts).toEqual(["odd"]);
    expect(groups[1]?.changes).toEqual([
      {
        address: "dns_record/<domain>/@/TXT",
        action: "update",
        replaces: false,
        purchase: false,
        changes: [change("values", ["v=spf1 a:old.host.example -all"], ["v=spf1 a:mail.<domain> -all"])],
        takesAlong: [],
        isDanger: false,
      },
    ]);
  });

  test("of accounts with several domains are in the group of those with one", () => {
    const [group, ...others] = groupChanges([
      shop("shop1"),
      shop("b", undefined, ["b.example", "shop.b.example", "c.test"]),
    ]);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ accounts: ["shop1", "b"], steps: 4 });
  });

  test("are two groups where one refers to another domain of its own", () => {
    const to = (name: string, target: string): AccountChanges => ({
      account: name,
      domains: [`${name}.example`, `${name}.test`],
      names: [],
      steps: [record(`${name}.example`, "www", "CNAME", [change("values", [], [target])])],
    });
    const groups = groupChanges([to("a", "x.a.example"), to("b", "x.b.test"), to("c", "x.c.test.")]);
    expect(groups.map(({ changes }) => changes[0]?.changes[0]?.after)).toEqual([
      { is: "value", value: ["x.<domain>"] },
      { is: "value", value: ["x.<other domain>"] },
      { is: "value", value: ["x.<other domain>."] },
    ]);
  });

  test("stand in this order: unusual dangers, few accounts, many", () => {
    const mx = (domain: string) => [record(domain, "@", "MX", [change("values", [], ["10 mx.other.example"])])];
    const text = (domain: string) => [record(domain, "txt", "TXT", [change("values", [], ["x"])])];
    expect(
      brief([...shops(9), ...shops(2, text), ...shops(3, mx), ...shops(4, (domain) => [deletion(domain)])]).map(
        ([count]) => count,
      ),
    ).toEqual([3, 4, 2, 9]);
  });

  test("put a danger that most accounts have last, and one more before it", () => {
    const usual = (domain: string) => [deletion(domain)];
    const more = (domain: string) => [deletion(domain), deletion(domain, "older")];
    const text = (domain: string) => [deletion(domain), record(domain, "txt", "TXT", [change("values", [], ["x"])])];
    expect(brief([...shops(9, usual), ...shops(1, text), ...shops(2, more)]).map(([count]) => count)).toEqual([
      2, 1, 9,
    ]);
  });

  test("of accounts that only take over what exists are a group without changes", () => {
    expect(groupChanges([{ ...shop("a"), steps: [] }])).toEqual([{ accounts: ["a"], changes: [], steps: 0 }]);
    expect(groupChanges([])).toEqual([]);
  });
});

describe("an own name", () => {
  const valueOf = (value: Json) => {
    const steps = [record("shop.example", "@", "TXT", [change("v", null, value)])];
    const [group] = groupChanges([
      { account: "a", domains: ["shop.example"], names: ["acc-17", "4711", "u_9"], steps },
    ]);
    return group?.changes[0]?.changes[0]?.after;
  };

  test.each<[Json, Json]>([
    ["shop.example", "<domain>"],
    ["WWW.Shop.Example.", "WWW.<domain>."],
    ["info@shop.example, x", "info@<domain>, x"],
    ["https://shop.example/shop.example", "https://<domain>/<domain>"],
    ["my-shop.example", "my-shop.example"],
    ["shop.example.org", "shop.example.org"],
    ["workshop.example", "workshop.example"],
    ["acc-17", "<account>"],
    ["acc-17_blog", "<account>_blog"],
    ["acc-170", "acc-170"],
    ["/home/u_9/www", "/home/<account>/www"],
    [4711, "<account>"],
    [471, 471],
    [{ "acc-17": [true, null, "shop.example"] }, { "<account>": [true, null, "<domain>"] }],
  ])("in %j gives %j", (value, expected) => {
    expect(valueOf(value)).toEqual({ is: "value", value: expected });
  });
});

test("accounts are in one group exactly if their changes differ in own names alone, in any order", async () => {
  const steps = fc.uniqueArray(fc.constantFrom("a", "b", "c"), { minLength: 1 });
  await forDraws({}, fc.array(steps, { minLength: 1, maxLength: 12 }), fc.boolean(), (drawn, isReversed) => {
    const accounts = drawn.map((names, index): AccountChanges => {
      const made = names.map((name) => record(`d${index}.example`, name, "A", [change("values", [], [`n${index}`])]));
      return {
        account: `n${index}`,
        domains: [`d${index}.example`],
        names: [`n${index}`],
        steps: isReversed ? made.reverse() : made,
      };
    });
    const groups = groupChanges(accounts);
    expect(groups.flatMap(({ accounts }) => accounts).toSorted()).toEqual(
      accounts.map(({ account }) => account).toSorted(),
    );
    const keyOf = (account: string) => [...(drawn[Number(account.slice(1))] ?? [])].sort().join();
    expect(groups.map(({ accounts }) => new Set(accounts.map(keyOf)).size)).toEqual(groups.map(() => 1));
    expect(groups).toHaveLength(new Set(accounts.map(({ account }) => keyOf(account))).size);
  });
});

test("an account whose name is that of a record type but for its case keeps the type in its addresses", () => {
  const steps = [record("a.example", "www", "A", [change("values", [], ["192.0.2.1"])])];
  expect(brief([{ account: "a", domains: ["a.example"], names: ["a"], steps }])).toEqual([
    [1, ["dns_record/<domain>/www/A"]],
  ]);
});
