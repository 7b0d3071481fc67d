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
      shop("b", undefined, ["b.example", "b-shop.example", "c.test"]),
    ]);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ accounts: ["shop1", "b"], steps: 4 });
  });

  test("name the domains where they are not made in each domain of an account", () => {
    const zones = (name: string) => Array.from({ length: 5 }, (_, index) => `z${index}.${name}.test`);
    const cut = (name: string): AccountChanges => ({
      account: name,
      domains: zones(name),
      names: [],
      steps: zones(name).flatMap((zone, index) => [spf(zone), ...(index % 2 === 0 ? [deletion(zone, "www")] : [])]),
    });
    const deleted = (name: string) => [0, 2, 4].map((index) => `dns_record/z${index}.${name}.test/www/A`);
    expect(brief([cut("a"), cut("b"), shop("c"), shop("d")])).toEqual([
      [1, [...deleted("a"), ...zones("a").map((zone) => `dns_record/${zone}/@/TXT`)].sort()],
      [1, [...deleted("b"), ...zones("b").map((zone) => `dns_record/${zone}/@/TXT`)].sort()],
      [2, ["dns_record/<domain>/@/TXT"]],
    ]);
  });

  test("are no group where one account makes them in one of its domains, and another in another", () => {
    const of = (name: string, domain: string): AccountChanges => ({
      account: name,
      domains: [`${name}.example`, `blog-${name}.example`],
      names: [name],
      steps: [deletion(domain, "shop")],
    });
    const groups = groupChanges([of("a1", "a1.example"), of("a2", "blog-a2.example")]);
    expect(new Set(groups.flatMap(({ changes }) => changes.map(({ address }) => address)))).toEqual(
      new Set(["dns_record/a1.example/shop/A", "dns_record/blog-a2.example/shop/A"]),
    );
  });

  test("name a domain below another one as a part of that", () => {
    const of = (name: string): AccountChanges => ({
      ...shop(name),
      domains: [`${name}.example`, `www.${name}.example`],
      steps: [{ ...deletion(`${name}.example`), address: toAddress("service", [`www.${name}.example`]) }],
    });
    expect(brief([of("a"), of("b")])).toEqual([[2, ["service/www.<domain>"]]]);
  });

  test("of one account alone have their own names", () => {
    expect(brief([shop("a")])).toEqual([[1, ["dns_record/a.example/@/TXT"]]]);
  });

  test("have no placeholder in a word that is longer than a name, at each of whose dots a name would be looked for", () => {
    const long = (label: string) => (domain: string) => [
      record(domain, "key", "TXT", [change("values", [], [`${label}.${domain}`])]),
    ];
    const longest = 255 - ".shop1.example".length;
    expect(groupChanges(shops(2, long("x".repeat(longest - 1)))).map(({ accounts }) => accounts.length)).toEqual([2]);
    expect(groupChanges(shops(2, long("x.".repeat(longest)))).map(({ accounts }) => accounts.length)).toEqual([1, 1]);
  });

  test("are no group where one refers to another domain of its own", () => {
    const to = (name: string, target: string): AccountChanges => ({
      account: name,
      domains: [`${name}.example`, `${name}.test`],
      names: [],
      steps: [`${name}.example`, `${name}.test`].map((domain) =>
        record(domain, "www", "CNAME", [change("values", [], [target])]),
      ),
    });
    const groups = groupChanges([to("a", "x.host.example"), to("b", "x.b.test"), to("c", "x.host.example")]);
    expect(groups.map(({ accounts, changes }) => [accounts, changes.map(({ address }) => address)])).toEqual([
      [["b"], ["dns_record/b.example/www/CNAME", "dns_record/b.test/www/CNAME"]],
      [["a", "c"], ["dns_record/<domain>/www/CNAME"]],
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
    const account = { account: "a", domains: ["shop.example"], names: ["acc-17", "4711", "u_9"], steps };
    const [group] = groupChanges([account, { ...account, account: "b" }]);
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
  const account = { account: "a", domains: ["a.example"], names: ["a"], steps };
  expect(brief([account, account])).toEqual([[2, ["dns_record/<domain>/www/A"]]]);
});

test("what a group shows, with each domain of an account in it, is all that the account does, and no more", async () => {
  const domains = fc.integer({ min: 1, max: 3 });
  const chosen = fc.uniqueArray(fc.tuple(fc.nat(2), fc.constantFrom("a", "b")), {
    selector: ([index, name]) => `${index} ${name}`,
    minLength: 1,
  });
  await forDraws({}, fc.array(fc.tuple(domains, chosen), { minLength: 1, maxLength: 6 }), (drawn) => {
    const accounts = drawn.map(([count, steps], index): AccountChanges => {
      const own = Array.from({ length: count }, (_, at) => `d${at}-${index}.example`);
      const made = steps.flatMap(([at, name]) => (own[at] === undefined ? [] : [deletion(own[at], name)]));
      return { account: `n${index}`, domains: own, names: [`n${index}`], steps: made };
    });
    const shown = groupChanges(accounts).flatMap(({ accounts: names, changes }) =>
      accounts.flatMap(({ account, domains, steps }) => {
        if (!names.includes(account)) return [];
        const isShared = (address: string) => address.includes("<domain>");
        const all = changes.flatMap(({ address }) =>
          isShared(address) ? domains.map((domain) => address.replace("<domain>", domain)) : [address],
        );
        return [{ shown: all.toSorted(), made: steps.map(({ address }): string => address).toSorted() }];
      }),
    );
    expect(shown.map((each) => each.shown)).toEqual(shown.map(({ made }) => made));
  });
});
