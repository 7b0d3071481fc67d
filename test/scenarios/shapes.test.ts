import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { readScenario } from "../support/scenario.ts";
import { runShaped, type Outcome } from "../support/shaped-scenario.ts";
import { shapes } from "../support/shapes.ts";

const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(".yaml"));
const names = Object.keys(shapes);

/** Pairs that come out otherwise, and why. */
const different: ReadonlyMap<string, string> = new Map([
  ["mx-host-refused.yaml whole", "its fault refuses a POST, and a zone is written with a PUT"],
  ["mx-switch-refused.yaml whole", "its fault refuses a PUT: with it that of the new host, too"],
]);

const pairs = files.flatMap((file) => names.map((name) => ({ file, name })));
const drawn = pairs.filter((_, index) => index % size.everyShapedScenario === 0);

describe("a scenario on a service of another shape", () => {
  const usual = new Map<string, Promise<Outcome>>();
  const usually = (file: string) => {
    const known = usual.get(file) ?? runShaped(readScenario(file), undefined).then(withoutOutput);
    usual.set(file, known);
    return known;
  };

  test.each(drawn)(
    "$file comes out the same: $name",
    async ({ file, name }) => {
      const shaped = await runShaped(readScenario(file), name);
      const same = await usually(file);
      if (different.has(`${file} ${name}`)) expect(withoutOutput(shaped)).not.toEqual(same);
      else expect(withoutOutput(shaped), shaped.output).toEqual(same);
    },
    size.timeout,
  );

  test("is left out only if it exists", () => {
    expect([...different.keys()].filter((pair) => !pairs.some(({ file, name }) => `${file} ${name}` === pair))).toEqual(
      [],
    );
  });
});

const withoutOutput = ({ plan, refused, exit, again, live }: Outcome): Outcome => ({
  plan,
  refused,
  exit,
  again,
  live,
});
