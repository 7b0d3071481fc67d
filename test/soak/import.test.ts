import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openAccount } from "../support/account.ts";
import { exits } from "../support/run-hostform.ts";

/** Zones of addresses, with 5,000 names in each. */
function zonesOf(count: number, names: number) {
  const zones = Array.from({ length: count }, (_, zone) => `zone${zone}.test`);
  const records = zones.flatMap((zone, index) =>
    Array.from({ length: names }, (_, name) => ({
      zone,
      name: `h${name}`,
      type: "A",
      content: `10.${index}.${name >> 8}.${name & 255}`,
    })),
  );
  return { dns_zone: zones.map((name) => ({ name })), dns_record: records };
}

/** Writes the memory (KiB) and the processor time (µs) of a run to a file at its end. */
const measuring = (file: string) => {
  const code = `import { writeFileSync } from "node:fs";
process.on("exit", () => writeFileSync(${JSON.stringify(file)}, JSON.stringify(process.resourceUsage())));`;
  return `--import=data:text/javascript,${encodeURIComponent(code)}`;
};

interface Usage {
  readonly maxRSS: number;
  readonly userCPUTime: number;
}

/** Imports zones with so many names, and returns the use of memory and processor. */
async function importZones(names: number): Promise<Usage> {
  const account = await openAccount({ seed: zonesOf(20, names) });
  const file = join(account.folder, "usage.json");
  try {
    const args = ["import", join(account.folder, "hosting")];
    const { stdout } = exits(0, await account.hostform(args, { NODE_OPTIONS: measuring(file) }));
    expect(stdout).toMatch(new RegExp(`^No changes\\. ${20 + 20 * names} resources match`, "mu"));
    return JSON.parse(readFileSync(file, "utf8")) as Usage;
  } finally {
    await account.close();
  }
}

test("100,000 records in 20 zones are imported in time and memory that grow with their number", async () => {
  const [quarter, whole] = [await importZones(1250), await importZones(5000)];
  for (const [name, { maxRSS, userCPUTime }] of Object.entries({ quarter, whole }))
    process.stdout.write(
      `${name}: ${Math.round(maxRSS / 1024)} MiB, ${Math.round(userCPUTime / 1e6)} s of processor time\n`,
    );
  expect(whole.userCPUTime).toBeLessThan(8 * quarter.userCPUTime);
  expect(whole.maxRSS).toBeLessThan(3 * 1024 * 1024);
});
