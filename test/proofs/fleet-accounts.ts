import type { Account } from "../support/account.ts";
import { openReader, type Item } from "./read-account.ts";

/** The seed of what nobody declares. */
export const bystanders = {
  domain: [{ name: "bystander.example" }],
  dns_zone: [{ name: "bystander.example" }],
  dns_record: [{ zone: "bystander.example", name: "www", type: "A", content: "192.0.2.99", ttl: 3600 }],
  mail_alias: [{ address: "x@bystander.example", destinations: ["y@example.net"] }],
};

/** The manifests of all accounts, by service and name. `generation`: each has another address, and a record of its own. */
export const manifestsOf = (services: number, accounts: number, generation = 1) =>
  Array.from({ length: services }, (_, nth) =>
    Object.fromEntries(
      Array.from({ length: Math.ceil(accounts / services) }, (_each, index) => {
        const name = `shop-${nth}-${index + 1}`;
        return [name, manifestOf(name, generation)];
      }),
    ),
  );

const manifestOf = (name: string, generation: number) => `version: 1
name: ${name}
dns:
  ${name}.example:
    records:
      www: { A: 192.0.2.${generation} }
      mail: { A: 192.0.2.2 }
      g${generation}: { TXT: hello }
mail:
  ${name}.example:
    aliases:
      sales: { destinations: [team@example.net] }
domains:
  ${name}.example: {}
`;

/** The declarations of a manifest, as `identityOf` names them. */
export const declaredBy = (name: string, generation = 1) => [
  `dns_zone ${name}.example`,
  ...[`www A 192.0.2.${generation}`, "mail A 192.0.2.2", `g${generation} TXT "hello"`].map(
    (record) => `dns_record ${name}.example ${record}`,
  ),
  `domain ${name}.example`,
  `mail_alias sales@${name}.example`,
];

/** The objects of a service, without those that it makes by itself. */
export function itemsOf(service: Pick<Account, "dataFile">): readonly Item[] {
  const reader = openReader(service);
  const all = Object.entries(reader.read()).flatMap(([kind, items]) => items.map((item) => ({ kind, ...item })));
  reader.close();
  return all.filter((item: Item) => item["managed"] !== true && item["kind"] !== "mail_settings");
}

export const identityOf = (item: Item) =>
  ["kind", "zone", "name", "type", "content", "address"]
    .flatMap((key) => (typeof item[key] === "string" ? item[key] : []))
    .join(" ");
