import type { Objects, StoredObject } from "../store/objects.ts";
import type { Context, Check } from "./kind.ts";
import { setDkimRecord, defaultMailSettings, type Dkim } from "./mail-settings.ts";

/** Whether mail can live at a name: it is a domain of the account, or a service's domain. */
export const isMailDomain = (name: string, objects: Objects): boolean =>
  objects.byKey(`domain ${name}`) !== undefined || objects.byKey(`service ${name}`) !== undefined;

/** Makes the mail settings of a name that has just become a mail domain. */
export function addMailDomain(name: string, context: Context): void {
  if (context.objects.byKey(`mail_settings ${name}`) === undefined) {
    context.bring("mail_settings", { record: defaultMailSettings(name, context) });
  }
}

/** Counts the mail addresses that stand on this domain or service alone, by kind; none when another one holds it too. */
export function mailUsers(name: string, holder: StoredObject, { objects }: Context): ReturnType<Objects["countsIn"]> {
  return hasOtherHolder(name, holder, objects) ? [] : objects.countsIn(name);
}

/** Removes the mail settings of a name whose last holder goes, and with them the record of its DKIM. */
export function removeMailDomain(name: string, holder: StoredObject, context: Context): void {
  const { objects } = context;
  const settings = objects.byKey(`mail_settings ${name}`);
  if (settings === undefined || hasOtherHolder(name, holder, objects)) return;
  setDkimRecord(name, { ...(settings.record["dkim"] as Dkim), enabled: false }, context);
  objects.remove(settings.id);
}

const hasOtherHolder = (name: string, { id }: StoredObject, { allByKey }: Objects): boolean =>
  ["domain", "service"].some((kind) => allByKey(`${kind} ${name}`).some((holder) => holder.id !== id));

/** Returns the part after the last `@`. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1);

/** The check of every kind with an address of its own. */
export const atMailDomain: Check<{ readonly address: string }> = {
  fields: ["address"],
  run: ({ address }, { objects }) =>
    isMailDomain(domainOf(address), objects)
      ? {}
      : { address: [`must be at a domain or a service's domain of the account; it was "${address}"`] },
};
