import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { exits, noAccount, runHostform, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();
let server: HttpsServer;
/** What the server answers to a write, of what it was sent. */
let repeat: ((body: string) => string) | undefined;
const secret = 'Correct "horse" battery';

beforeAll(async () => {
  mkdirSync(join(folder, "m"));
  writeFileSync(join(folder, "outside.txt"), "outside");
  // A server that repeats what it was sent, as many do in their errors.
  server = await startHttpsServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => {
      const errors = { message: `not acceptable: ${body}`, code: "validation_failed", errors: { password: [body] } };
      const data = request.url?.startsWith("/v2026/domains") === true ? [{ id: "d1", name: "a.example" }] : [];
      const list = { data, meta: { total: data.length } };
      if (request.method === "POST") response.writeHead(422).end(repeat?.(body) ?? JSON.stringify(errors));
      else response.end(JSON.stringify(list));
    });
  });
  writeFileSync(join(folder, "ca.pem"), server.ca);
});
afterAll(() => server.close());

function write(text: string): string {
  const path = join(folder, "m", "m.yaml");
  writeFileSync(path, `version: 1\nname: secrets\n${text}`);
  return path;
}

describe("a secret is not printed", () => {
  const env = { PW: secret, HOSTFORM_API_KEY: "the-api-key" };
  const commandLine = (...flags: string[]) => {
    const file = write(
      'domains: { a.example: {} }\nmail: { a.example: { mailboxes: { info: { password: "${env:PW}" } } } }',
    );
    const target = ["--base-url", server.baseUrl.href, "--ca-file", join(folder, "ca.pem")];
    return ["apply", "-f", file, "--auto-approve", ...target, ...flags];
  };

  test.each([[[]], [["--json"]]])("though the server repeats it in its errors %j", async (flags) => {
    const { status, stdout, stderr } = await (flags.length > 0
      ? runInProcess(noAccount, commandLine(...flags), env)
      : runHostform(commandLine(), { env }));
    expect(status).toBe(5);
    expect(stdout).toContain("(sensitive)");
    for (const part of ["horse", "the-api-key"]) expect(stdout + stderr).not.toContain(part);
  });

  test.each<[string, (sent: string) => string]>([
    ["a text", (sent) => `This is no request that can be read by anyone here, it is: ${sent}`],
    ["the title of a page", (sent) => `<html><title>${"Nothing can be done here with it ".repeat(2)}${sent}</title>`],
  ])("though the server repeats it in %s, of which only the beginning is shown", async (_name, answer) => {
    repeat = (body) => answer((JSON.parse(body) as { password: string }).password);
    const { stdout, stderr } = await runInProcess(noAccount, commandLine(), env).finally(() => {
      repeat = undefined;
    });
    expect(stdout).toMatch(/anyone here|Nothing can be done/u);
    expect(stdout + stderr).not.toContain("Corr");
  });

  test.each([
    ["twice in one RRset", 'dns: { a.example: { records: { t: { TXT: ["${env:PW}", "${env:PW}"] } } } }'],
    ["as a target that is none", 'dns: { a.example: { records: { t: { CNAME: "${env:PW}" } } } }'],
    [
      "as a schedule that is none",
      'services: { a.example: {} }\ncrons: { a.example: { jobs: { x: { schedule: "${env:PW}" } } } }',
    ],
    ["in the place of a map", `domains: { a.example: { transfer: LeakingCode } }`],
  ])("%s", async (_name, text) => {
    const { status, stdout, stderr } = await runInProcess(noAccount, ["validate", "-f", write(text)], {
      PW: "LeakingCode",
    });
    expect(status).toBe(3);
    expect((stdout + stderr).toLowerCase()).not.toContain("leakingcode");
  });
});

describe("a file outside the manifest's folder is read below --allow-file only", () => {
  const validate = (path: string, ...allowed: string[]) => {
    const file = write(`dns: { a.example: { records: { t: { TXT: "\${file:${path}}" } } } }`);
    const flags = allowed.flatMap((each) => ["--allow-file", join(folder, each)]);
    return runInProcess(noAccount, ["validate", "-f", file, ...flags]);
  };
  beforeAll(() => {
    for (const name of ["secrets", "secrets-too", "other"]) {
      mkdirSync(join(folder, name));
      writeFileSync(join(folder, name, "s.txt"), "from outside");
    }
    symlinkSync(join(folder, "secrets"), join(folder, "m", "inside"));
    symlinkSync(join(folder, "secrets"), join(folder, "link-to-secrets"));
    symlinkSync(join(folder, "outside.txt"), join(folder, "m", "link.txt"));
    symlinkSync("/dev/zero", join(folder, "m", "endless"));
    symlinkSync(join(folder, "other", "s.txt"), join(folder, "secrets", "leads-out.txt"));
    writeFileSync(join(folder, "m", "..odd.txt"), "odd name");
  });

  test.each([
    ["a path above", "../secrets/s.txt", ["secrets"]],
    ["a path that is written in full", "FOLDER/secrets/s.txt", ["secrets"]],
    ["a link to it", "inside/s.txt", ["secrets"]],
    ["the second of two", "../secrets/s.txt", ["other", "secrets"]],
    ["an allowed link", "../secrets/s.txt", ["link-to-secrets"]],
    ["a name that only looks like a way out", "..odd.txt", []],
  ])("%s", async (_name, path, allowed) => {
    expect(await validate(path.replace("FOLDER", folder), ...allowed)).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    ["without the flag", "../secrets/s.txt", []],
    ["with another folder", "../secrets/s.txt", ["other"]],
    ["beside it, under a name that begins alike", "../secrets-too/s.txt", ["secrets"]],
    ["through a link that leads out of it again", "../secrets/leads-out.txt", ["secrets"]],
    ["with a way out of it", "../secrets/../other/s.txt", ["secrets"]],
    ["through a link, without the flag", "link.txt", []],
    ["a link to what never ends", "endless", []],
  ])("not %s", async (_name, path, allowed) => {
    const { stderr } = exits(3, await validate(path, ...allowed));
    expect(stderr).toContain("refused_file");
    expect(stderr).toContain("--allow-file");
  });

  test("the help for a file in the folder that is not a text says what it has to be", async () => {
    writeFileSync(join(folder, "m", "certificate.der"), Buffer.from([0x30, 0x82, 0xff]));
    const { stderr } = exits(3, await validate("certificate.der"));
    expect(stderr).toContain("the file certificate.der cannot be read: it is not UTF-8 text");
    expect(stderr).toContain("= help: give a text file (up to 1 MiB)");
  });

  test.each(["missing", "outside.txt"])("--allow-file refuses %s, which is not a folder", async (allowed) => {
    const { stderr } = exits(3, await validate("../secrets/s.txt", allowed));
    expect(stderr).toContain(`--allow-file ${join(folder, allowed)}: expected a folder`);
  });
});
