import { bodiesOf, declaredNames } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Desired, Live } from "../model/resource.ts";

const mostNamed = 3;

/** Whether what is live is from a snapshot, which leaves things out. */
function isRedacted({ resources }: Live): boolean {
  for (const { remotes } of resources.values()) if (remotes.some(({ redacted }) => redacted)) return true;
  return false;
}

/** Returns at most one notice, of all declared fields that could not be compared because the snapshot does not tell their live values. */
export function redactedNotices({ resources }: Desired, live: Live): Diagnostic[] {
  if (!isRedacted(live)) return [];
  const redacted = [...resources.values()].flatMap((resource) => {
    const remotes = live.resources.get(resource.address)?.remotes ?? [];
    const hidden = new Set(remotes.flatMap(({ redacted }) => redacted ?? []));
    return declaredNames(...bodiesOf(resource)).flatMap((field) => (hidden.has(field) ? [{ field, resource }] : []));
  });
  const [first] = redacted;
  if (!first) return [];
  const named = redacted.slice(0, mostNamed).map(({ field, resource: { address } }) => `${field} of ${address}`);
  const count = redacted.length === 1 ? "1 field is" : `${redacted.length} fields are`;
  return [
    {
      severity: "notice",
      code: "not_in_snapshot",
      summary: `${count} left out of the snapshot, and not compared: ${named.join(", ")}${redacted.length > mostNamed ? ", …" : ""}`,
      hint: "a snapshot omits values that are or look secret; a plan with an API key compares them",
      at: first.resource.at,
    },
  ];
}
