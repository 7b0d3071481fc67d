import type { SavedCall } from "../model/saved-plan.ts";

export const callText = ({ method, path }: SavedCall): string => `${method} ${path}`;

/** Returns the calls, as texts, that are not among those shown, each of which stands for one call. */
export function callsNotShown(calls: readonly SavedCall[], shown: readonly SavedCall[]): string[] {
  const left = shown.map(callText);
  return calls.map(callText).filter((call) => {
    const index = left.indexOf(call);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
