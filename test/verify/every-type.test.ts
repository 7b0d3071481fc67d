import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { isPrioritised } from "../../src/kinds/dns/record-content.ts";
import { recordTypes } from "../../src/kinds/dns/record-types.ts";
import { drawnZone } from "../import/zone-file/draw-zone.ts";
import { good } from "../import/zone-file/zones.ts";
import { size } from "../proofs/size.ts";
import { recordForms } from "../support/forms/record-forms.ts";
import { eventsOf, exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";
import { missing, startNsd } from "./name-servers.ts";

function newFolder(): string {
  const folder = folderForTest();
  return folder;
}

/** Writes the key `ohttp` by its number: not each version of nsd knows its name. */
const withKeysByNumber = (text: string) =>
  text.replaceAll(/^.*\t(?:HTTPS|SVCB)\t.*$/gmu, (line) => line.replaceAll(/(?<=[\s=,"])ohttp(?![\w-])/gu, "key8"));

/** Serves the zones of a manifest as they are exported, and returns what the built binary finds different, and the types that it compared. */
async function differences(manifest: string, names: readonly string[]) {
  const zones: Record<string, string> = {};
  for (const name of names) {
    const ran = exits(0, await runInProcess(noAccount, ["export", name, "--zone-file", "-f", manifest]));
    zones[name] = withKeysByNumber(ran.stdout);
  }
  const server = await startNsd(zones);
  onTestFinished(server.stop);
  const ran = await runHostform(["verify", "-f", manifest, "--resolver", server.place, "--timeout", "0", "--json"]);
  expect(ran.stderr).toBe("");
  const events = eventsOf(ran).filter(({ type }) => type !== "diagnostic");
  const types = Object.values(zones).flatMap((text) => [...text.matchAll(/\tIN\t([A-Z]+)\t(?!ns\.invalid)/gu)]);
  return { found: events.filter(({ type }) => type === "mismatch"), types: new Set(types.map(([, type]) => type)) };
}

const pointsElsewhere = ({ address, asked }: Record<string, unknown>) =>
  String(address).endsWith("/MX") && String(asked).endsWith("A/AAAA");

describe.skipIf(missing !== undefined)(`what nsd serves as it was exported (${missing ?? "asked"})`, () => {
  test("is as declared for drawn contents of every type", async () => {
    const draws = size.draws(6);
    const records = Object.entries(recordForms).flatMap(([type, { good: contents }]) => {
      const row = recordTypes.get(type);
      if (row?.number === undefined) return [];
      return fc.sample(contents, draws).map((content, index) => {
        // A null MX has no priority but 0.
        const item = isPrioritised(type) ? `${type === "MX" && content === "." ? 0 : index} ${content}` : content;
        return `      ${type.toLowerCase()}-${index}: { ${type}: ${JSON.stringify(item).replaceAll("${", () => "$${")} }\n`;
      });
    });
    const manifest = join(newFolder(), "hosting.yaml");
    writeFileSync(manifest, `version: 1\nname: a\ndns:\n  shop.example:\n    records:\n${records.join("")}`);
    const { found, types } = await differences(manifest, ["shop.example"]);
    expect(found.filter((each) => !pointsElsewhere(each))).toEqual([]);
    expect([...recordTypes].filter(([type, row]) => row.number !== undefined && !types.has(type))).toEqual([]);
  });

  test.runIf(size.whole)("is as declared for the zones that the tests of zone files import", async () => {
    const folder = newFolder();
    mkdirSync(join(folder, "zones"));
    const whole = [...Object.values(good), ...fc.sample(drawnZone, size.draws(12))].map((files) =>
      Object.values(files),
    );
    const texts = whole.flatMap(([text, ...more]) => (text === undefined || more.length > 0 ? [] : text));
    const paths = texts.map((text, index) => {
      const path = join(folder, "zones", `z${index}.example.zone`);
      writeFileSync(path, text.replaceAll(/(?<![\w-])example\.com(?![\w-])/giu, `z${index}.example`));
      return path;
    });
    const manifest = join(folder, "hosting");
    exits(0, await runInProcess(noAccount, ["import", manifest, "--from", "zone-file", ...paths]));
    const { found } = await differences(
      manifest,
      texts.map((_, index) => `z${index}.example`),
    );
    expect(found.filter((each) => !pointsElsewhere(each))).toEqual([]);
  });
});
