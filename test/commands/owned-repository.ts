import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach } from "vitest";
import { accountForFile } from "../support/account.ts";
import { liveRecords, recordNames, recordsPath } from "../support/live-records.ts";
import { exits, type Ran, runInProcess } from "../support/run-hostform.ts";

/** A repository with a manifest, and an account with the zone example.com: each test begins with them as new. */
export function ownedRepository() {
  const account = accountForFile();
  /** Where commands run; a test may go on in another clone. */
  const repository = { folder: "" };
  let putBack: () => void;
  let empty: string;

  beforeAll(async () => {
    await account.create("/dns/zones", { name: "example.com" });
    putBack = account.mirror.keep();
    empty = join(account.folder, "..", "empty");
    repository.folder = empty;
    mkdirSync(empty);
    git("init", "--quiet", "--template=", "--initial-branch", "main");
  });

  beforeEach(() => {
    putBack();
    for (const name of readdirSync(account.folder).filter((each) => each !== "ca.pem"))
      rmSync(join(account.folder, name), { recursive: true });
    repository.folder = join(account.folder, "repository");
    cpSync(empty, repository.folder, { recursive: true });
  });

  function git(...args: string[]): string {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "maintenance.auto=false"];
    return execFileSync("git", [...identity, ...args], {
      cwd: repository.folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  }

  function commit(text: string, file = "hosting.yaml"): string {
    writeFileSync(join(repository.folder, file), text);
    // One process that this one starts, in place of three.
    const steps = ["add --all", "commit --quiet --allow-empty --message change", "rev-parse HEAD"];
    return git("-c", `alias.keep=!git ${steps.join(" && git ")}`, "keep").trim();
  }

  const run = (command: string, ...flags: string[]) =>
    runInProcess(account, [command, "-f", join(repository.folder, "hosting.yaml"), ...flags]);
  const apply = (...flags: string[]) => run("apply", "--auto-approve", "--settle", "0", ...flags);

  async function applied(...flags: string[]): Promise<Ran> {
    return exits(0, await apply(...flags));
  }

  const begun = new Map<string, { folder: string; putBack: () => void }>();

  /** Commits a manifest and applies it, as the first thing that a test does. A later test gets what the first one has made. */
  async function begin(text: string): Promise<void> {
    const made = begun.get(text);
    if (made) {
      rmSync(repository.folder, { recursive: true });
      cpSync(made.folder, repository.folder, { recursive: true });
      return made.putBack();
    }
    commit(text);
    await applied();
    const folder = join(account.folder, "..", `begun-${begun.size}`);
    cpSync(repository.folder, folder, { recursive: true });
    begun.set(text, { folder, putBack: account.mirror.keep() });
  }

  const records = () => recordNames(account);

  async function makeByHand(name: string): Promise<void> {
    const record = { name, type: "TXT", content: "by hand", ttl: 3600 };
    await account.create((await recordsPath(account)).replace("/v2026", ""), record);
  }

  async function deleteByHand(name: string): Promise<void> {
    const found = (await liveRecords(account)).find((record) => record.name === name);
    await must(204, account.byHand("DELETE", `${await recordsPath(account)}/${found?.id}`));
  }

  return { account, repository, git, commit, begin, run, apply, applied, records, makeByHand, deleteByHand };
}

/** A manifest that declares these TXT records, and an empty block of the zone. */
export const manifest = (...names: string[]) => `version: 1
name: shop
dns: { example.com: { records: { ${names.map((name) => `${name}: { TXT: here }`).join(", ")} } } }
`;

/** Throws where the service answers with another status. */
export async function must(status: number, answer: Promise<{ status: number; body: unknown }>): Promise<void> {
  const given = await answer;
  if (given.status !== status) throw new Error(JSON.stringify(given));
}
