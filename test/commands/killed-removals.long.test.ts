import { rmSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { workshopForFile } from "../state/repositories.ts";
import { size } from "../proofs/size.ts";
import { accountForFile } from "../support/account.ts";
import { frontForFile } from "../support/front.ts";
import { listed } from "../support/live-records.ts";
import { exits, runHostform, runInProcess } from "../support/run-hostform.ts";
import { runnerBeside } from "../support/runner-beside.ts";

/** The built binary is killed in the middle of deletions to which committed entries consent. */
const password = "correct horse battery";
const shop = workshopForFile();
const account = accountForFile({ seed: { domain: [{ name: "a.example", status: "active", expires_at: null }] } });
const front = frontForFile(account);

const create = (name: string) => account.create("/mail/accounts", { address: `${name}@a.example`, password });
const mailboxes = () => listed<{ id: string; address: string }>(account, "/v2026/mail/accounts?domain=a.example");
const boxes = async () => (await mailboxes()).map(({ address }) => address.split("@")[0] ?? "").sort();
const remove = async (name: string) => {
  const found = (await mailboxes()).find(({ address }) => address === `${name}@a.example`);
  await account.byHand("DELETE", `/v2026/mail/accounts/${found?.id}`);
};
const box = (name: string) => `mailbox/${name}@a.example`;
const declaring = (...all: string[]) =>
  `version: 1\nname: shop\ndomains: { a.example: {} }\nmail: { a.example: { mailboxes: { ${all.map((name) => `${name}: { password: "\${env:PW}" }`).join(", ")} } } }\n`;
const removing = (...all: string[]) =>
  `${declaring()}removed:\n${all.map((name) => `  - { address: ${box(name)}, action: delete }\n`).join("")}`;

/** Applies, and is killed at the nth DELETE: before the service gets it, or once it has carried it out. */
async function apply(clone: string, killed?: { readonly at: number; readonly when: "before" | "after" }) {
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  let [deletions, dead] = [0, false];
  front.interfere(async (request, response, pass) => {
    if (dead) return true;
    if (request.method !== "DELETE" || (deletions += 1) !== killed?.at) {
      const { status, headers, text } = await pass();
      response.writeHead(status, headers).end(text);
      return true;
    }
    dead = true;
    if (killed.when === "after") await pass();
    kill("SIGKILL");
    return true;
  });
  const journal = `${clone}.journal`;
  const manifest = join(clone, "manifest.yaml");
  const args = ["apply", "-f", manifest, "--auto-approve", "--settle", "2", "--parallelism", "1", "--journal", journal];
  const env = { ...account.env, PW: password, HOME: join(shop.folder, "home"), GIT_CONFIG_NOSYSTEM: "1" };
  const onStart = (signal: typeof kill) => {
    kill = signal;
  };
  const { status, stdout, stderr } = killed
    ? await runHostform([...args, ...front.flags], { env, cwd: shop.folder, onStart })
    : await runInProcess({ env, flags: front.flags }, args, {}, { runner: runnerBeside(`${journal}.lock`) });
  return { status, said: stdout + stderr };
}

let clone: string;
beforeEach(async () => {
  for (const name of ["p", "q", "r"]) if (!(await boxes()).includes(name)) await create(name);
  clone = join(shop.folder, "alone");
  rmSync(clone, { recursive: true, force: true });
  shop.git(shop.folder, "init", "--quiet", clone);
  shop.commit(clone, "manifest.yaml", declaring("p", "q", "r"));
  exits(0, await apply(clone));
  shop.commit(clone, "manifest.yaml", removing("p", "q", "r"));
});

test.each(size.every(6, ["before", "after"] as const))(
  "the next apply ends it, and is no consent to what exists again (%s)",
  async (when) => {
    expect((await apply(clone, { at: 2, when })).status).toBe(null);
    const left = await boxes();
    const gone = ["p", "q", "r"].filter((name) => !left.includes(name));
    expect(gone).toHaveLength(when === "before" ? 1 : 2);
    await create(gone[0] ?? "");
    const refused = exits(6, await apply(clone));
    expect(refused.said).toContain(`--allow-delete ${box(gone[0] ?? "")}`);
    for (const name of left) expect(refused.said).not.toContain(`--allow-delete ${box(name)}`);
    await remove(gone[0] ?? "");
    exits(0, await apply(clone));
    expect(await boxes()).toEqual([]);
    await create("r");
    const again = exits(6, await apply(clone));
    expect(again.said).toContain(`--allow-delete ${box("r")}`);
    expect(await boxes()).toEqual(["r"]);
  },
);
