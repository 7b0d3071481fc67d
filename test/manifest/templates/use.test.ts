import { describe, expect, test } from "vitest";
import { bodies, load, places } from "./load-templates.ts";

const head = "version: 1\nname: agency\n";

const mail = `${head}variables:
  ttl: { default: 300 }
templates:
  standard-mail:
    parameters: { domain: , quota: { default: 2 GiB }, password: }
    domains: { "\${param:domain}": {} }
    dns:
      "\${param:domain}":
        ttl: "\${var:ttl}"
        records: { "@": { TXT: "v=spf1 a:\${param:domain} -all" } }
    mail:
      "\${param:domain}":
        mailboxes: { info: { quota: "\${param:quota}", password: "\${param:password}" } }
`;

const written = (domain: string, quota: string, variable: string) => `domains: { ${domain}: {} }
dns: { ${domain}: { ttl: 300, records: { "@": { TXT: "v=spf1 a:${domain} -all" } } } }
mail: { ${domain}: { mailboxes: { info: { quota: ${quota}, password: "\${env:${variable}}" } } } }
`;

describe("a template that is used twice", () => {
  const use = `use:
  - { template: standard-mail, with: { domain: a.example, password: "\${env:A_PASSWORD}" } }
  - { template: standard-mail, with: { domain: b.example, quota: 5 GiB, password: "\${env:B_PASSWORD}" } }
`;
  const used = load(mail + use);
  const plain = load([head + written("a.example", "2 GiB", "A_PASSWORD"), written("b.example", "5 GiB", "B_PASSWORD")]);

  test("makes the resources that its text would make", () => {
    expect(used.errors).toEqual([]);
    expect(bodies(used)).toEqual(bodies(plain));
  });

  test("gives them places in the template, with the use", () => {
    const at = used.read?.desired.resources.get("mailbox/info@b.example" as never)?.at;
    expect(at).toMatchObject({
      file: "a.yaml",
      line: 15,
      uses: [{ template: "standard-mail", at: { line: 6, col: 3 }, used: { file: "a.yaml", line: 18, col: 17 } }],
    });
  });

  test.each([
    ["values", `for_each: [a.example, b.example], with: { domain: "\${each}", password: "\${env:P}" }`],
    ["maps", `for_each: [{ domain: a.example }, { domain: b.example }], with: { password: "\${env:P}" }`],
  ])("may be used for each of a list of %s", (_, more) => {
    const { read, errors } = load(`${mail}use: [{ template: standard-mail, ${more} }]\n`);
    expect(places(errors)).toEqual([]);
    expect([...(read?.desired.resources.keys() ?? [])]).toContain("mailbox/info@b.example");
    expect(read?.desired.resources.size).toBe(8);
  });

  test("may stand in another file than its uses", () => {
    const [first, second] = [load([mail, use]), load([use, mail])];
    expect([...first.errors, ...second.errors]).toEqual([]);
    expect(bodies(first)).toEqual(bodies(used));
    expect(bodies(second)).toEqual(bodies(used));
  });
});
