import type { ApiRules } from "./contract.ts";

/** Whether the API states how many objects a list has: without that, a list that was cut short looks like a complete one. */
export const isCounted = ({ paging }: Pick<ApiRules, "paging">): boolean =>
  paging.total !== undefined || paging.total_header !== undefined;
