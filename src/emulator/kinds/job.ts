import type { Kind } from "./kind.ts";

type Input = { readonly resource: { readonly id: string } };

/** Work that goes on after a 202. Its scope is what it makes. */
export const job: Kind<Input> = {
  idPrefix: "job",
  scope: ({ resource }) => resource.id,
};
