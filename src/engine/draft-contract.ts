import { draftContract } from "../contract/draft/draft-contract.ts";
import { readDescription } from "../contract/draft/description.ts";
import type { Ending } from "./ending.ts";
import type { Emit } from "./events.ts";

export interface DraftOptions {
  /** The file with the description. */
  readonly openapi: string;
}

/** Drafts a contract from an OpenAPI description. */
export async function draftContractFile({ openapi: file }: DraftOptions, emit: Emit): Promise<Ending> {
  const { document, diagnostics } = readDescription(file);
  if (!document) {
    emit({ type: "diagnostics", diagnostics });
    return "wrong_input";
  }
  emit({ type: "contract_draft", file, draft: draftContract(document) });
  return "done";
}
