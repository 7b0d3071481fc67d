import type { Kind } from "./kind.ts";

export type JobRecord = {
  readonly status: string;
  readonly resource: { readonly kind: string; readonly id: string };
  readonly created_at: string;
  readonly error: { readonly code: string; readonly message: string } | null;
};

/** Work that goes on after a 202. Its scope is what it makes. */
export const job: Kind<JobRecord, JobRecord> = {
  name: "job",
  schema: "Job",
  idPrefix: "job",
  checks: [],
  naturalKey: () => null,
  scope: ({ resource }) => resource.id,
  make: (input) => ({ record: input }),
};
