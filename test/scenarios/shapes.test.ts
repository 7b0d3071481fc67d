import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { size } from "../proofs/size.ts";
import { readScenario } from "../support/scenario.ts";
import { runShaped, type Outcome, type Shaped } from "../support/shaped-scenario.ts";
import { shapes } from "../support/shapes.ts";

const files = readdirSync(new URL(".", import.meta.url)).filter((file) => file.endsWith(".yaml"));
const names = [...Object.keys(shapes), "cloudflare", "hetzner-cloud", "hostinger", "mittwald"];

const sameName = "its crons have no names";
const noZone = "it creates no zone, and none is there";

/** Pairs that come out otherwise, and why. */
const different: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  whole: {
    "mx-host-refused": "the fault refuses a POST, and a zone is written with a PUT",
    "mx-switch-refused": "the fault refuses a PUT: that of the new host, too",
  },
  hostinger: {
    "exclusive-crons": sameName,
    "exclusive-first": sameName,
    "only-with-parents": sameName,
    ...Object.fromEntries(
      (
        "a-to-cname alias-to-a child-zone-folded-back cname-in-the-way cname-to-a contents-swapped exclusive-zone mx-host-refused " +
        "mx-switch-refused names-into-child-zone record-renamed rrset-fewest-calls types-swapped wildcard-takes-over " +
        "zone-with-records-deleted"
      )
        .split(" ")
        .map((name) => [name, noZone]),
    ),
  },
  mittwald: { "rotate-after": "a mailbox stands below a project, and the scenario declares none" },
};

/** The scenarios whose kinds and fields a vendor has. The contracts of shapes.ts have all. */
const offered: Readonly<Record<string, readonly string[]>> = {
  cloudflare:
    "a-to-cname child-zone-folded-back cname-in-the-way cname-to-a commented-cname contents-swapped exclusive-zone mx-host-refused mx-switch-refused names-into-child-zone record-renamed rrset-fewest-calls types-swapped wildcard-takes-over zone-with-records-deleted".split(
      " ",
    ),
  "hetzner-cloud":
    "a-to-cname child-zone-folded-back cname-in-the-way cname-to-a commented-cname contents-swapped exclusive-zone mx-host-refused mx-switch-refused names-into-child-zone record-renamed rrset-fewest-calls types-swapped wildcard-takes-over zone-with-records-deleted".split(
      " ",
    ),
  hostinger: ["prevent-destroy-outlives", ...Object.keys(different["hostinger"] ?? {})],
  mittwald: ["rotate-after"],
};

/** The service may have a zone without a domain, or a domain without a zone: in an API that lists both as one, that is none of its states. */
const leftOut: Readonly<Record<string, readonly string[]>> = { hostinger: ["commented-cname", "rotate-after"] };

const pairs = names
  .flatMap((name) => files.map((file) => ({ name, scenario: file.replace(".yaml", "") })))
  .filter(({ name, scenario }) => leftOut[name]?.includes(scenario) !== true);
const isOffered = ({ name, scenario }: (typeof pairs)[number]) => offered[name]?.includes(scenario) ?? true;
const drawn = pairs
  .filter(isOffered)
  .filter((_, index) => index % size.everyShapedScenario === 3 % size.everyShapedScenario);
const outside = pairs.filter((pair) => !isOffered(pair));

describe("a scenario on a service of another shape", () => {
  const usual = new Map<string, Promise<Outcome>>();
  const usually = (file: string) => {
    const known = usual.get(file) ?? runShaped(readScenario(file), undefined).then(withoutOutput);
    usual.set(file, known);
    return known;
  };

  test.each(drawn)("comes out the same: $scenario, $name", async ({ name, scenario }) => {
    const shaped = await runShaped(readScenario(`${scenario}.yaml`), name);
    const { offline, ...online } = await usually(`${scenario}.yaml`);
    // A snapshot finds records by their zones: of an API that lists no zones it holds none.
    const same = { ...online, offline: name === "hostinger" ? shaped.offline : offline };
    const reason = different[name]?.[scenario];
    if (reason === undefined) expect(withoutOutput(shaped), shaped.output).toEqual(same);
    else expect(withoutOutput(shaped), `it comes out the same, though ${reason}`).not.toEqual(same);
  });

  test.each(outside.filter((_, index) => index % size.everyShapedScenario === 0))(
    "is refused as not offered: $scenario, $name",
    async ({ name, scenario }) => {
      const { output } = await runShaped(readScenario(`${scenario}.yaml`), name);
      expect(output).toMatch(/not_offered|unlisted_value/u);
    },
  );
});

const withoutOutput = ({ output: _output, ...outcome }: Shaped): Outcome => outcome;
