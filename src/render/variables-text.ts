import { shorten } from "../lib/shorten.ts";
import { jsonText } from "../model/json.ts";
import type { Plan } from "../model/plan.ts";
import { layOutText, printable, type Page } from "./layout.ts";

/** Characters of a value that are shown. `--json` has all of it. */
const longest = 60;

/** Returns the lines of the variables whose values do not stand in the manifest. */
export const renderVariables = ({ variables = [] }: Plan, page: Page): string[] =>
  variables.flatMap(({ name, value, from }) => {
    const text = jsonText(value);
    const shown = shorten(text, longest);
    return layOutText(page, printable(page, `Variable ${name} = ${shown} (${from})`));
  });
