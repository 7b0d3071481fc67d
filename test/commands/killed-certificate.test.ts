import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listed } from "../support/live-records.ts";
import { cli, eventsOf, type Ran } from "../support/run-hostform.ts";
import { virtualClock } from "../support/virtual-clock.ts";
import { journaledApplies } from "./journaled-applies.ts";
import { size } from "../proofs/size.ts";

/** An apply that is killed while its request for a certificate is under way: what a plan says afterwards, and the recipe that it prints. */
const { account, work, writes, zoneName, manifest, killedAt, runHere, age } = journaledApplies();

const inventory = () => ["--inventory", join(work.folder, "ours.json")];
const run = (command: string, ...more: readonly string[]) =>
  runHere([command, "-f", join(work.folder, "m.yaml"), "--json", ...inventory(), ...more], {}, virtualClock());
const apply = () => run("apply", "--auto-approve", "--settle", "0");

const errorsOf = (ran: Ran) =>
  eventsOf(ran)
    .filter(({ severity }) => severity === "error")
    .map(({ code, summary, detail, hint }) => ({ code, summary, detail, hint: String(hint) }));

async function certificates(): Promise<readonly unknown[]> {
  const all = await listed<{ domains: string[] }>(account, "/v2026/ssl/certificates");
  return all.filter(({ domains }) => domains.includes(`www.${zoneName()}`));
}

/** Runs the commands that the refusal prints for a request that was not carried out, as they stand there, and returns them. */
function followRecipe(hint: string): string[] {
  const [, recipe = ""] = /if not, apply again after: (.*)$/u.exec(hint) ?? [];
  const program = `hostform() { "${process.execPath}" "${cli}" "$@"; }; ${recipe}`;
  execFileSync("sh", ["-c", program], { cwd: work.folder, env: { ...process.env, ...account.env }, stdio: "pipe" });
  return recipe.split(" && ");
}

const emptyList = JSON.stringify({ data: [], meta: { total: 0, current_page: 1, per_page: 100 } });

test.runIf(size.whole).each(
  size.every(6, [
    ["before it arrives", false],
    ["after it was carried out, and the list lags", true],
  ]),
)(
  "is refused by plan as by apply where it was killed %s, and the recipe leads to one certificate",
  async (_, arrives) => {
    const services = `services: { ${zoneName()}: { plan: WEB-M, datacenter: MAD1 } }\n`;
    manifest(services);
    expect((await apply()).status).toBe(0);
    const file = manifest(
      `${services}certificates: { ${zoneName()}: [{ domains: [${zoneName()}, www.${zoneName()}] }] }\n`,
    );
    const killed = await killedAt(file, /\/ssl\/certificates$/u, arrives, {}, inventory());
    expect(killed.status).toBe(null);
    age();
    work.handle = ({ method, path, response }) => {
      if (arrives && method === "GET" && path.includes("/ssl/certificates"))
        response.writeHead(200, { "content-type": "application/json" }).end(emptyList);
    };
    writes.length = 0;
    const applied = await apply();
    const refused = errorsOf(applied);
    expect([applied.status, refused.map(({ code }) => code)], applied.stdout + applied.stderr).toEqual([
      6,
      ["in_flight_untold"],
    ]);
    for (const more of [[], ["--out", "plan.json"], ["--detailed-exitcode"]]) {
      const planned = await run("plan", ...more);
      expect([planned.status, errorsOf(planned)], planned.stdout + planned.stderr).toEqual([6, refused]);
      expect(planned.stdout).not.toContain("To apply it");
    }
    expect(writes).toEqual([]);
    work.handle = undefined;
    if (!arrives) expect(followRecipe(refused[0]?.hint ?? "").length).toBe(3);
    const [first, second] = [await apply(), await apply()];
    expect([first.status, second.status], first.stdout + first.stderr + second.stdout).toEqual([0, 0]);
    expect((await certificates()).length).toBe(1);
    expect(writes.filter(({ method }) => method === "POST").length).toBe(arrives ? 0 : 1);
  },
);
