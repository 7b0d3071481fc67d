/** The resource groups of the vendor's document, as keys' permissions name them: the OpenAPI document's tags in lower case. */
export const groups = ["services", "mail", "ftp", "database", "dns", "dnssec", "crons", "domains", "ssl"] as const;

export const levels = ["none", "read", "write"] as const;

export type Group = (typeof groups)[number];
export type Level = (typeof levels)[number];
export type Permissions = Readonly<Record<Group, Level>>;

export const allPermissions = Object.fromEntries(groups.map((group) => [group, "write"])) as Permissions;

/** Whether the permissions allow a method on a group. What belongs to no group (jobs) is open to every key. */
export function allows(permissions: Permissions, group: string, method: string): boolean {
  const level = (permissions as Readonly<Record<string, Level>>)[group];
  return level === undefined || level === "write" || (level === "read" && method === "GET");
}
