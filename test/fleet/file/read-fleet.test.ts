import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { readFleet } from "../../../src/fleet/file/read-fleet.ts";
import { makeFolder, mistakesIn, readOrMistakes } from "./fleet-folder.ts";
import { forDraws } from "../../support/for-draws.ts";

const example = `version: 1
name: hosting
templates: [shared/templates.yaml]
variables: { mail_host: mx.example, php: 8.10, ttl: 300, hosts: [a, b] }
defaults:
  base_url: https://api.host.example
  contract: powerdns
  key: "\${env:KEY_\${account}}"
  owner: agency-a
accounts:
  - folders: accounts/*
    except: accounts/old-*
    group: shops
    window: { days: [mon, tue], hours: "22:00-04:00", time_zone: Europe/Berlin }
    needs: [one]
  - folder: special/one
    name: one
    owner: agency-b
    key: "\${file:keys/\${owner}}"
    variables: { ttl: 60 }
`;

test("a fleet.yaml gives its accounts in order, with their folders, templates, settings and keys", async () => {
  const names = ["accounts/shop-1", "accounts/shop-0", "accounts/old-1", "special/one"];
  const folder = makeFolder({ "fleet.yaml": example, "shared/templates.yaml": "", "accounts/README.md": "" }, names);
  const file = join(folder, "fleet.yaml");
  const { accounts, ...fleet } = await readFleet(folder);
  expect(fleet).toEqual({ name: "hosting", file });
  const shop = (name: string, variable: string) => ({
    name,
    manifests: [join(folder, name), join(folder, "shared/templates.yaml")],
    baseUrl: "https://api.host.example",
    contract: "powerdns",
    key: { env: variable },
    group: "shops",
    owner: "agency-a",
    window: { days: [1, 2], from: 22 * 60, to: 4 * 60, timeZone: "Europe/Berlin" },
    needs: ["one"],
    variables: { mail_host: "mx.example", php: "8.10", ttl: 300, hosts: ["a", "b"] },
  });
  expect(accounts.map((each) => ({ ...each }))).toEqual([
    shop("accounts/shop-0", "KEY_ACCOUNTS_SHOP_0"),
    shop("accounts/shop-1", "KEY_ACCOUNTS_SHOP_1"),
    expect.objectContaining({
      name: "one",
      manifests: [join(folder, "special/one"), join(folder, "shared/templates.yaml")],
      owner: "agency-b",
      key: { file: "keys/agency-b" },
      needs: [],
      variables: { mail_host: "mx.example", php: "8.10", ttl: 60, hosts: ["a", "b"] },
    }),
  ]);
  expect(await readFleet(file)).toEqual({ ...fleet, accounts });
});

test("the example of the page on the file has no mistakes", async () => {
  const page = readFileSync(new URL("../../../docs/fleet-file.md", import.meta.url), "utf8");
  const [, text = ""] = /```yaml\n(.*?)```/su.exec(page) ?? [];
  const names = ["accounts/shop-1", "accounts/old-1", "special/dns"];
  const folder = makeFolder({ "fleet.yaml": text, "shared/templates.yaml": "" }, names);
  const { accounts } = await readFleet(folder);
  expect(accounts.map(({ name, key }) => [name, key])).toEqual([
    ["accounts/shop-1", { file: "keys/accounts/shop-1" }],
    ["dns", { env: "DNS_KEY" }],
  ]);
});

test("all mistakes of a file are found at once, each with its place and what to do", async () => {
  const text = `version: 1
name: hosting
templates: [shared/none.yaml]
default: {}
defaults:
  key: s3cr3t-value
  base_url: http://api.host.example
accounts:
  - folders: [accounts/*, none/*]
    except: [accounts/b, accounts/z]
    window: { hours: "22:00-22:00", time_zone: Europe/Berln }
    needs: [acounts/one]
    key: "\${env:SHARED}"
  - folder: accounts/a
    ownr: x
    key: "\${env:SHARED}"
  - folder: accounts
    key: "\${exec:K_\${account}}"
  - folder: missing
  - folder: ../outside
  - folder: empty
  - folder: special
    name: two
    needs: [three]
    key: "\${env:K2}"
  - folder: other
    name: three
    needs: [two]
    key: "\${env:K3}"
  - folder: third
    name: two
    folders: x/*
`;
  const names = ["accounts/a", "accounts/b", "accounts/c", "special", "other", "third"];
  expect(await mistakesIn(text, names, { "empty/README.md": "" })).toMatchInlineSnapshot(`
    [
      "3:13 not_found The file shared/none.yaml does not exist; check the path: it is relative to the folder of this file",
      "4:1 unknown_key There is no key "default" in the fleet; one of accounts, defaults, name, templates, variables, version; did you mean "defaults"?",
      "6:8 bad_key The key is not \${env:NAME}, \${file:PATH} or \${exec:NAME}; only \${account} and \${owner} may stand in it; write key: "\${env:KEY_\${account}}"; the key itself never stands in a file of the repository",
      "7:13 not_https The base URL http://api.host.example in the fleet is not https; use https://…: the key must not travel in the clear",
      "9:15 nested_account In the folder of the account accounts: accounts/a, accounts/c; move one of the folders, or leave a folder out of a pattern with except:",
      "9:27 not_found The pattern none/* does not match any folder; check the path: it is relative to the folder of this file",
      "10:26 not_found The folder accounts/z does not exist; check the path: it is relative to the folder of this file",
      "11:22 empty_window The window 22:00-22:00 is empty; for the whole day, leave hours out",
      "11:48 unknown_time_zone Europe/Berln is not a time zone; a name of the IANA database, such as Europe/Berlin or UTC; did you mean Europe/Berlin?",
      "12:13 unknown_account The fleet has no account acounts/one; the name: of an account, or its folder relative to this file; list it under accounts:, or take it out of needs:",
      "13:10 shared_key These owners share the key \${env:SHARED}: accounts/a, accounts/c; a key of its own for each owner; an account without owner: is its own owner; write key: "\${env:KEY_\${owner}}" or "\${file:keys/\${account}}", or the same owner: for them all",
      "14:13 duplicate_account Listed twice: accounts/a; remove one of the two, or leave a folder out of a pattern with except:",
      "15:5 unknown_key There is no key "ownr" in accounts > item 2; one of base_url, ca_file, contract, except, folder, folders, group, key, name, needs, owner, variables, window; did you mean "owner"?",
      "19:13 not_found The folder missing does not exist; check the path: it is relative to the folder of this file",
      "20:13 leads_out Not below the folder of the fleet's file, or hidden, with all symbolic links followed: ../outside; put the folder itself there, or leave it out with except:",
      "21:13 no_manifest empty does not contain a manifest; at least one file that ends in .yaml or .yml; hidden ones and node_modules are not read; write a manifest there, or leave the folder out with except:",
      "24:13 circle Accounts need each other in a circle: two → three → two; take one of them out of needs:, or out of a pattern with except:",
      "30:5 unknown_key "folder" is not a key of accounts > item 9; folders: for many accounts, or folder: and name: for one",
      "31:5 unknown_key "name" is not a key of accounts > item 9; folders: for many accounts, or folder: and name: for one",
      "32:14 not_found The pattern x/* does not match any folder; check the path: it is relative to the folder of this file",
    ]
  `);
});

const oneAccount = "version: 1\nname: f\naccounts:\n  - folder: a\n";

test.each([
  ["", "is empty"],
  ["- a\n", "The file holds a list"],
  ["version: 2\nname: f\naccounts: [{ folder: a }]\n", '1:10 wrong_value "version" is 2'],
  ["version: 1\nname: f\n", '"accounts" is missing in the fleet'],
  ["version: 1\nname: f\naccounts: []\n", '3:11 wrong_count "accounts" is an empty list'],
  ["version: 1\nname: f\naccounts:\n  - name: a\n", '4:5 missing_key "folder" is missing in accounts > item 1'],
  [`${oneAccount}    except: b\n`, '5:5 unknown_key "except" is not a key of accounts > item 1'],
  [`${oneAccount}    key: "\${ref:domain/a.id}"\n`, "5:10 bad_key"],
  [`${oneAccount}    key: "\${env:A}\${env:B}"\n`, "5:10 bad_key"],
  [`${oneAccount}    token: "x"\n`, "the key itself never stands in a file of the repository"],
  [`${oneAccount}    window: { days: [mon] }\n`, '"time_zone" is missing'],
  [`${oneAccount}    window: { days: [mo], time_zone: UTC }\n`, "one of mon, tue, wed, thu, fri, sat, sun"],
  [`${oneAccount}    window: { hours: 9-17, time_zone: UTC }\n`, 'is the text "9-17"'],
  [`${oneAccount}    window: { hours: "09:00-17:00", time_zone: "+01:00" }\n`, "unknown_time_zone"],
  [`${oneAccount}    needs: [a]\n`, "5:13 circle The account a needs itself"],
  [`${oneAccount}    contract: c.yaml\n`, "5:15 not_found The file c.yaml does not exist"],
  [`${oneAccount}    ca_file: ../ca.pem\n`, "5:14 leads_out"],
  ["version: 1\nname: f\naccounts: [{ folder: . }]\n", "3:22 leads_out"],
  ["version: 1\nname: f\naccounts: [{ folder: a* }]\n", "3:22 wrong_format"],
  ["version: 1\nname: f\naccounts: [{ folder: a, name: x }, { folder: b, name: x }]\n", "duplicate_name"],
])("a mistake is named with its place: %j", async (text, expected) => {
  const found = await mistakesIn(text, ["a", "b"]);
  expect(found.filter((each) => !each.includes("shared_key"))).toEqual([expect.stringContaining(expected)]);
});

describe("a link in the folder of the fleet", () => {
  test("that leads out of it, or to a hidden folder, is refused, and what it leads to stays unread", async () => {
    const outside = makeFolder({}, ["shop"]);
    const folder = makeFolder({ "fleet.yaml": fleetOf("accounts/*") }, [".hidden/shop", "real"]);
    mkdirSync(join(folder, "accounts"));
    for (const [name, to] of [
      ["out", outside],
      ["hidden", join(folder, ".hidden/shop")],
    ] as const)
      symlinkSync(to, join(folder, "accounts", name));
    const read = await readOrMistakes(folder);
    expect(read).toEqual([
      expect.objectContaining({
        code: "leads_out",
        summary: expect.stringContaining("accounts/hidden, accounts/out"),
        at: expect.objectContaining({ line: 3 }),
      }),
    ]);
  });

  test("to another account is the same account, listed twice", async () => {
    const folder = makeFolder({ "fleet.yaml": fleetOf("accounts/*") }, ["accounts/a"]);
    symlinkSync("a", join(folder, "accounts/b"));
    expect(await readOrMistakes(folder)).toEqual([
      expect.objectContaining({ code: "duplicate_account", summary: "Listed twice: accounts/b" }),
    ]);
  });
});

test("a key that is written out is shown neither in a mistake nor in its line", async () => {
  const key = "sk_live_4eC39HqLyjWDarjtT1zdp7dc";
  const folder = makeFolder(
    { "fleet.yaml": `version: 1\nname: f\ndefaults: { key: ${key} }\naccounts: [{ folder: a }]\n` },
    ["a"],
  );
  const read = await readOrMistakes(folder);
  expect(read).toEqual([expect.objectContaining({ code: "bad_key" })]);
  expect(JSON.stringify(read)).not.toContain(key);
});

test.each(["5", "[a, b]", "{ a: b }", "true"])("a key that is %s is one mistake", async (key) => {
  const other = '{ folder: b, key: "${env:B}" }, { folder: c }, { folder: d, owner: c }';
  for (const text of [
    `accounts: [{ folder: a, key: ${key} }, ${other}]`,
    `defaults: { key: ${key} }\naccounts: [{ folder: a }, ${other}]`,
  ]) {
    const found = await mistakesIn(`version: 1\nname: f\n${text}\n`, ["a", "b", "c", "d"]);
    expect(found).toEqual([expect.stringMatching(/bad_key|"key"/u)]);
  }
});

const fleetOf = (pattern: string) =>
  `version: 1\nname: f\naccounts: [{ folders: "${pattern}", key: "\${env:K_\${account}}" }]\n`;

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,5}$/u);
const settings = fc.record(
  {
    base_url: word.map((name) => `https://${name}.example`),
    group: word,
    owner: word,
    ca_file: fc.constant("ca.pem"),
    window: fc.record({
      days: fc.uniqueArray(fc.constantFrom("mon", "sat", "sun"), { minLength: 1 }),
      hours: fc.constantFrom("22:00-04:00", "00:00-24:00", "09:30-10:00"),
      time_zone: fc.constantFrom("UTC", "Europe/Berlin"),
    }),
    variables: fc.dictionary(
      fc.stringMatching(/^[a-z]{1,4}$/u),
      fc.oneof(fc.boolean(), fc.nat(), fc.string(), fc.array(word)),
    ),
  },
  { requiredKeys: [] },
);

test("a drawn fleet is read as it was written: each account has its own settings, else the defaults", async () => {
  const entry = fc.record({ names: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }), settings });
  const drawn = fc.record({ defaults: settings, entries: fc.uniqueArray(entry, { maxLength: 4, minLength: 1 }) });
  await forDraws(400, drawn, async ({ defaults: { variables: shared, ...defaults }, entries }) => {
    const key = "${file:keys/${account}}";
    const accounts = entries.map(({ settings: own }, index) => ({ folders: `g${index}/*`, ...own }));
    const fleet = { version: 1, name: "drawn", variables: shared ?? {}, defaults: { ...defaults, key }, accounts };
    const names = entries.map(({ names }, index) => names.toSorted().map((name) => `g${index}/${name}`));
    const folder = makeFolder({ "fleet.yaml": stringify(fleet), "ca.pem": "" }, names.flat());
    const read = await readFleet(folder);
    const expected = entries.flatMap(({ settings: { variables, ...own } }, index) =>
      (names[index] ?? []).map((name) => {
        const { owner = name, base_url, group, ca_file, window } = { ...defaults, ...own };
        return {
          name,
          owner,
          baseUrl: base_url,
          group,
          key: { file: `keys/${name}` },
          needs: [],
          variables: { ...shared, ...variables },
          caFile: ca_file && join(folder, ca_file),
          days: window?.days.map((day) => ["sun", "mon", "tue", "wed", "thu", "fri", "sat"].indexOf(day)),
        };
      }),
    );
    const seen = read.accounts.map(({ manifests: _manifests, window, ...each }) => ({
      ...each,
      caFile: each.caFile,
      baseUrl: each.baseUrl,
      group: each.group,
      days: window?.days,
    }));
    expect(seen).toEqual(expected);
  });
});

test("a fleet is read from no pipe, and nothing says that it could be", async () => {
  const hint = "put the file itself there";
  await expect(readFleet("/dev/null")).rejects.toMatchObject({
    mistake: { diagnostics: [{ code: "not_a_file", hint }] },
  });
  await expect(readFleet("-")).rejects.toMatchObject({ mistake: { diagnostics: [{ code: "not_found" }] } });
});
