// Makes a plan, keeps its text, and applies it by its hash, as another process would; then asks what is there. Run: node examples/library/saved-plan.mjs
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applySavedPlan, drift, importAccount, plan, snapshot, status } from "hostform";

const say = (line) => process.stdout.write(`${line}\n`);

const folder = mkdtempSync(join(tmpdir(), "hostform-example-"));
// A real account has a baseUrl, and its key in HOSTFORM_API_KEY.
const target = { emulatorData: join(folder, "service.db"), inventory: join(folder, "inventory.json") };
const manifests = [fileURLToPath(new URL("site.yaml", import.meta.url))];

// A database would keep the text, and show the hash to whoever approves the plan.
const { saved } = await plan({ ...target, manifests, out: true });
say(`saved: ${saved.hash.slice(0, 7)}…, ${saved.text.length > 0}`);

const journal = join(folder, "journal");
const applied = await applySavedPlan({ ...target, journal, plan: { text: saved.text }, approve: saved.hash });
say(`applied: ${applied.ending}, ${applied.report.requests.writes} writes`);

const { rows } = await status({ ...target, manifests });
for (const { address, state } of rows) say(`status: ${address} ${state}`);

const found = await drift({ ...target, manifests });
say(`drift: ${found.drift.items.length}`);

// A snapshot of the embedded service holds no key, and is planned without one.
const taken = await snapshot({ ...target, manifests });
const offline = await plan({ manifests, env: {}, live: { text: taken.text } });
say(`planned from the snapshot: ${offline.plan.steps.length} steps`);

const { files } = await importAccount(target);
say(`imported: ${Object.keys(files).join(", ")}`);

rmSync(folder, { recursive: true });
