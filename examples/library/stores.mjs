// Applies an account whose inventory, lease and journal are in a folder. Run: node examples/library/stores.mjs
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { apply, fileStores } from "hostform";

const say = (line) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "hostform-stores-"));
// For several machines: await postgresStores({ url: process.env.DATABASE_URL }), after migratePostgres once.
const stores = await fileStores(join(folder, "state"));
try {
  const target = {
    manifests: [fileURLToPath(new URL("site.yaml", import.meta.url))],
    // A real account has a baseUrl, and its key in HOSTFORM_API_KEY.
    emulatorData: join(folder, "account.db"),
    stores,
  };
  const first = await apply({ ...target, approve: () => true });
  say(`applied: ${first.ending}, ${first.report?.requests.writes ?? 0} writes`);
  const second = await apply({ ...target, approve: () => false });
  say(`again: ${second.ending}, ${second.plan?.steps.length ?? 0} steps`);
  for (const name of readdirSync(join(folder, "state")).toSorted())
    say(`kept: ${name.slice(name.lastIndexOf(".") + 1)}`);
} finally {
  await stores.close();
  rmSync(folder, { recursive: true });
}
