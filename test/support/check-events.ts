import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const schema = JSON.parse(readFileSync(new URL("../../schemas/events.schema.json", import.meta.url), "utf8")) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);

/** What schemas/events.schema.json has against the events; an empty list where they are as it says. */
export function checkEvents(events: readonly Record<string, unknown>[]): string[] {
  const first = events[0]?.["type"] === "version" ? [] : [`the first event is ${JSON.stringify(events[0])}`];
  return [
    ...first,
    ...events.flatMap((event) =>
      validate(event) ? [] : [`${JSON.stringify(event)}: ${JSON.stringify(validate.errors)}`],
    ),
  ];
}
