import { randomBytes } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { size } from "../proofs/size.ts";
import { openAccount } from "../support/account.ts";
import { forDraws } from "../support/for-draws.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const before = process.cwd();
const { cert: ca } = makeServerIdentity(["ca.example"], Date.now(), randomBytes);
const builtIn = new URL("../../schemas/contracts/v2026.yaml", import.meta.url);
const schema = "node_modules/hostform/dist/schemas/manifest.schema.json";
let place: string;

beforeEach(() => {
  place = folderForTest();
});
afterEach(() => process.chdir(before));

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

/** Where a file of this machine lies: in the repository, in its folder that git ignores, or outside. */
const lies = fc.constantFrom("inside", "hidden", "outside");
const drawn = fc.record({
  folder: fc.constantFrom("hosting", "sites/hosting", "sites/de/hosting"),
  workIn: fc.constantFrom(".", "sites"),
  installedIn: fc.constantFrom(".", "sites", undefined),
  ca: fc.option(lies, { nil: undefined }),
  contract: fc.option(lies, { nil: undefined }),
  caBy: fc.constantFrom("flag", "variable"),
  host: fc.constantFrom("127.0.0.1:8443", "[::1]:8443", "localhost:8443", "api.host.example", "10.0.0.7"),
  command: fc.constantFrom("init", "import"),
});

test.runIf(size.whole)("each path in the files of init and import leads somewhere in each clone", () =>
  forDraws(48, drawn, async (draw) => {
    rmSync(place, { recursive: true });
    const top = join(place, "repository");
    const folderOf = {
      inside: join(top, "shared"),
      hidden: join(top, ".hostform"),
      outside: join(place, "elsewhere"),
    };
    mkdirSync(join(top, ".git"), { recursive: true });
    mkdirSync(join(top, "sites"));
    process.chdir(join(top, draw.workIn));
    if (draw.installedIn !== undefined) write(join(top, draw.installedIn, schema), "{}");
    const caFile = draw.ca && write(join(folderOf[draw.ca], "ca.pem"), ca);
    const contract =
      draw.contract && write(join(folderOf[draw.contract], "contract.yaml"), readFileSync(builtIn, "utf8"));
    const zone = write(join(place, "shop.example.zone"), "$ORIGIN shop.example.\n@ 3600 IN A 192.0.2.1\n");
    const folder = relative(".", join(top, draw.folder));
    const flags = ["--base-url", `https://${draw.host}`, ...(contract === undefined ? [] : ["--contract", contract])];
    const ofCa = caFile !== undefined && draw.caBy === "flag" ? ["--ca-file", caFile] : [];
    const env = caFile !== undefined && draw.caBy === "variable" ? { HOSTFORM_CA_FILE: caFile } : undefined;
    const args =
      draw.command === "init"
        ? ["init", folder, ...flags, ...ofCa]
        : ["import", folder, "--from", "zone-file", zone, ...flags, ...ofCa];
    const ran = await runInProcess(noAccount, args, env);
    const isElsewhere = draw.contract !== undefined && draw.contract !== "inside";
    expect(ran.status, ran.stdout + ran.stderr).toBe(isElsewhere ? 3 : 0);
    expect(existsSync(join(top, draw.folder))).toBe(!isElsewhere);
    expect(ran.stderr.includes("[contract_elsewhere]")).toBe(isElsewhere);
    if (isElsewhere) return;
    expect(ran.stderr.includes("[ca_file_elsewhere]")).toBe(draw.ca !== undefined && draw.ca !== "inside");
    const clone = join(place, "other/clone");
    // What git ignores is in no clone.
    cpSync(top, clone, { recursive: true, filter: (path) => !/\/(?:\.hostform|node_modules)$/u.test(path) });
    rmSync(top, { recursive: true });
    const names = readdirSync(join(clone, draw.folder)).filter((name) => name.endsWith(".yaml"));
    for (const name of names) {
      const text = readFileSync(join(clone, draw.folder, name), "utf8");
      const { name: title, provider = {} } = parse(text) as { name?: string; provider?: Record<string, string> };
      const [, schemaPath] = /^# yaml-language-server: \$schema=(.+)/u.exec(text) ?? [];
      const paths = [schemaPath, provider["ca_file"], provider["contract"]].filter((path) => path !== undefined);
      for (const path of paths) expect(existsSync(join(clone, draw.folder, path)), `${name} ${path}`).toBe(true);
      expect(schemaPath, text).toBeDefined();
      expect(title ?? "").not.toMatch(/\d-\d|localhost/u);
      expect(text).not.toContain(place);
    }
  }),
);

test("a CA file is trusted beside the authorities that Node trusts", async () => {
  const [asked, other] = await Promise.all([openAccount(), openAccount()]);
  try {
    const [ours, theirs] = [asked, other].map(({ folder }) => join(folder, "ca.pem"));
    const status = (caFile = "", more = "") =>
      runInProcess(noAccount, ["status", "--base-url", asked.baseUrl, "--ca-file", caFile], {
        ...asked.env,
        NODE_EXTRA_CA_CERTS: more,
      });
    expect(await status(theirs, ours)).toMatchObject({ status: 0 });
    expect(await status(ours, theirs)).toMatchObject({ status: 0 });
    expect(await status(theirs, theirs)).toMatchObject({ status: 4 });
  } finally {
    await Promise.all([asked.close(), other.close()]);
  }
});
