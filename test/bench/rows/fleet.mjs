import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../../../dist/postgres/connection.js";
import { startEmbedded } from "../../../dist/postgres/embedded.js";
import { best, runOnce } from "../measure.mjs";
import { cli, withService } from "../service.mjs";
import { atMost, noMoreThan } from "../table.mjs";

const consent = "--auto-approve";

const manifestOf = (name) => `version: 1
name: ${name}
dns:
  ${name}.example:
    records:
      "@": { A: 192.0.2.10, AAAA: 2001:db8::10, MX: { priority: 10, value: mx1.host.test. } }
      www: { CNAME: ${name}.example. }
      shop: { A: [192.0.2.11, 192.0.2.12] }
      mail: { A: 192.0.2.14 }
`;

/** Measures a fleet of so many accounts in one process against a loop of a command for each of them. */
export async function measureFleet({ add, folder, runs }, count) {
  const names = Array.from({ length: count }, (_, index) => `shop-${index + 1}`);
  await withService({ folder }, ({ env, flags, own }) =>
    withDatabase(join(own, "postgres"), async ({ url, statements }) => {
      for (const name of names) {
        mkdirSync(join(own, "accounts", name), { recursive: true });
        writeFileSync(join(own, "accounts", name, "hosting.yaml"), manifestOf(name));
      }
      const service = `base_url: "${env.BASE_URL}", ca_file: "${env.CA_FILE}", owner: us`;
      const file = join(own, "fleet.yaml");
      writeFileSync(file, `version: 1\nname: bench\ndefaults: { ${service} }\naccounts:\n  - folders: accounts/*\n`);
      const all = { ...env, HOSTFORM_DATABASE_URL: url };
      runOnce([cli, "fleet", "migrate"], all);
      const run = [cli, "fleet", "run", "-f", file, consent];
      const counted = async (work) => {
        const before = await statements();
        const result = work();
        return { result, each: ((await statements()) - before) / count };
      };
      const applied = await counted(() => runOnce(run, all, { cwd: own }));
      const times = runs(3);
      const unchanged = await counted(() => best(times, run, all, { cwd: own }));
      const each = (name) =>
        runOnce(
          [
            cli,
            "apply",
            "-f",
            join(own, "accounts", name),
            "--inventory",
            join(own, `${name}.json`),
            ...flags,
            consent,
          ],
          env,
          { cwd: own },
        );
      // Takes over what the fleet has made, so that the loop has no changes either.
      for (const name of names) each(name);
      const loop = names.map(each);
      const sum = (figure) => loop.reduce((total, ran) => total + ran[figure], 0);
      add({
        what: "an account without changes, in a fleet, against a command for each",
        unit: "ms CPU",
        ours: unchanged.result.cpu / count,
        floor: sum("cpu") / count,
        target: noMoreThan(40, "ms"),
      });
      add({
        what: `fleet of ${count} accounts without changes, against a loop of apply`,
        unit: "ms",
        ours: unchanged.result.wall,
        floor: sum("wall"),
        target: atMost(1),
      });
      add({
        what: "database statements of an account without changes",
        unit: "",
        ours: unchanged.each / times,
        applied: applied.each,
      });
    }),
  );
}

/** Runs `use` with a PostgreSQL of its own, which counts statements. */
async function withDatabase(folder, use) {
  const { config, stop } = await startEmbedded(folder, ["shared_preload_libraries=pg_stat_statements"]);
  const database = await connect({ ...config, max: 1 });
  try {
    await database.query("CREATE EXTENSION pg_stat_statements");
    const statements = async () => {
      const [row] = await database.query("SELECT sum(calls) AS calls FROM pg_stat_statements");
      return Number(row.calls);
    };
    const { user, password, host } = config;
    const url = `postgres://${user}:${String(password)}@localhost/postgres?host=${encodeURIComponent(host)}`;
    return await use({ url, statements });
  } finally {
    await database.close();
    await stop();
  }
}
