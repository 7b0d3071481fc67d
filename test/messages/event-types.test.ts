import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { noticeTypes } from "../../src/messages/notices.ts";
import { root } from "../repository/workplace.ts";

interface EventSchema {
  readonly oneOf: readonly { readonly $ref: string }[];
  readonly $defs: Readonly<Record<string, { readonly properties: { readonly type: TypeSchema } }>>;
}
interface TypeSchema {
  readonly const?: string;
  readonly enum?: readonly string[];
}

const read = (file: string) => readFileSync(join(root, "src", file), "utf8");

/** The files that make lines of `--json` other than notices: those in which each `type` is one of a line, and commands with a line of their own. */
const makers = ["render/json-events.ts", "render/fleet/fleet-json.ts", "fleet/events.ts", "cli/printer.ts"].map(read);
const commands = ["cli/commands/emulator.ts", "cli/commands/fleet-database.ts"].map(read);

test("schemas/events.schema.json describes each type of event that the program can print, and no other", () => {
  const { oneOf, $defs } = JSON.parse(readFileSync(join(root, "schemas/events.schema.json"), "utf8")) as EventSchema;
  const described = oneOf.flatMap(({ $ref }) => {
    const type = $defs[$ref.replace("#/$defs/", "")]?.properties.type;
    return type?.enum ?? type?.const ?? [`${$ref} has no type`];
  });
  const written = makers.flatMap((text) =>
    [...text.matchAll(/\btype: "(\w+)"(?=[,;]| \})/gu)].map(([, type = ""]) => type),
  );
  const undescribed = [...noticeTypes, ...written].filter((type) => !described.includes(type));
  expect(undescribed, "add these types to schemas/events.schema.json: a sentence alone to the list in `words`").toEqual(
    [],
  );
  const words = new Set([...noticeTypes, ...[...makers, ...commands].flatMap((text) => text.match(/\b\w+\b/gu) ?? [])]);
  expect(described.filter((type) => !words.has(type))).toEqual([]);
});
