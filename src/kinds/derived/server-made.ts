import type { Address } from "../../model/address.ts";
import type { Fields, Key, LiveResource } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { Kind, Parent } from "../kind.ts";
import { addressOfParent } from "./parents.ts";

/** Returns the addresses of what the server creates together with a resource. */
export const broughtBy = ({ serverMade }: Kind, key: Key, fields: Fields): Address[] =>
  (serverMade?.creates?.(key, fields) ?? []).map(addressOfParent);

/** Returns the objects elsewhere that the server keeps for a live resource. */
export const keptElsewhere = ({ kind, key, remotes }: LiveResource): readonly Parent[] =>
  kindNamed(kind).serverMade?.keeps?.(key, remotes[0]?.fields ?? {}) ?? [];
