// A policy: reads a plan from standard input, prints a line for each objection, and ends with 1 if there is one.
// hostform plan --policy-command "node examples/policy/policy.mjs"
import { readFileSync } from "node:fs";

const { format, events } = JSON.parse(readFileSync(0, "utf8"));
const steps = events.filter(({ type }) => type === "planned");
const objections = [];

if (format !== 1) objections.push(`this policy reads plans of format 1, not ${format}`);

if (steps.length > 50) objections.push(`${steps.length} steps at once: apply them in parts of at most 50`);

for (const { address, action, changes } of steps) {
  if (action === "delete" && address.startsWith("mailbox/"))
    objections.push(`${address}: mailboxes are deleted by the support team alone`);
  // A secret is { is: "sensitive" }, and what only an apply learns { is: "known_after_apply" }.
  const ttl = changes.find(({ path }) => path === "ttl")?.after;
  if (ttl?.is === "value" && ttl.value < 300) objections.push(`${address}: a TTL of ${ttl.value} is below 300`);
}

process.stdout.write(objections.map((objection) => `${objection}\n`).join(""));
process.exitCode = objections.length > 0 ? 1 : 0;
