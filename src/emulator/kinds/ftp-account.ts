import { makeSet, type Fields } from "../fields.ts";
import { conflict } from "../refusal.ts";
import type { Objects } from "../store/objects.ts";
import { belongsToService, type Kind } from "./kind.ts";

type Input = {
  readonly service_id: string;
  readonly username: string;
  readonly home: string;
};

/** An FTP account. Its password is dropped: nothing here ever logs in. */
export const ftpAccount: Kind<Input> = {
  idPrefix: "ftp",
  normalise: (input) => makeSet(input, "permissions", (permission) => permission),
  checks: [
    belongsToService,
    {
      fields: ["home"],
      run: ({ home }) => (home.split("/").includes("..") ? { home: [`must not contain ".."; it was "${home}"`] } : {}),
    },
  ],
  naturalKey: ({ username }) => `ftp_account ${username}`,
  scope: ({ service_id }) => service_id,
  make: (input, { prefixed }) => ({ record: { ...input, username: prefixed(input.username), primary: false } }),
  removing({ record }) {
    if (record["primary"] === true) {
      throw conflict(
        `The FTP account ${String(record["username"])} is the service's primary one: it goes with the service.`,
      );
    }
  },
};

/** The account that comes with a service: named after its domain, with a number where that name is taken. */
export function primaryAccount(serviceId: string, domain: string, objects: Objects): Fields {
  const base = domain.replaceAll(".", "_").slice(0, 48);
  let username = base;
  for (let number = 2; objects.byKey(`ftp_account ${username}`) !== undefined; number += 1)
    username = `${base}_${number}`;
  return {
    service_id: serviceId,
    username,
    home: "/",
    quota_mb: null,
    permissions: ["read", "write"],
    enabled: true,
    primary: true,
  };
}
