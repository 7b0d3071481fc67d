import { readBuilt } from "../../lib/package-file.ts";
import type { Fields } from "../fields.ts";

/** The parts of an OpenAPI document that the service reads. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Fields>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export interface PathItem extends Readonly<Partial<Record<"get" | "post" | "put" | "delete", OperationObject>>> {
  /** The methods that a 405 tells in `Allow`, where they are more than those of this path. */
  readonly "x-allow"?: string;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly parameters?: readonly { readonly $ref: string }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } };
  };
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Fields;
}

/** `schemas/hosting-api.openapi.yaml` as the build has converted it, read once per process. */
export const apiDocument: ApiDocument = JSON.parse(readBuilt("hosting-api.json")) as ApiDocument;
