import type { ApiRules } from "./contract.ts";

/** Whether the API tells how many objects a list has: without that, a list that was cut short cannot be told from a whole one. */
export const isCounted = ({ paging }: Pick<ApiRules, "paging">): boolean =>
  paging.total !== undefined || paging.total_header !== undefined;
