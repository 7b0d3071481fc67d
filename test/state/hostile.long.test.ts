import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runHostform } from "../support/run-hostform.ts";
import { parseContent } from "../../src/state/inventory/inventory-content.ts";
import { startHttpsServer } from "../support/https-server.ts";
import {
  applied,
  codes,
  commitToRef,
  key,
  leaseClock,
  namesIn,
  ours,
  ref,
  storeText,
  take,
  workshopForFile,
} from "./repositories.ts";
import { size } from "../proofs/size.ts";

const shop = workshopForFile();

describe("a repository whose configuration names programs", () => {
  const setUp = () => {
    const remote = shop.makeRemote();
    const clone = shop.clone(remote);
    const mark = join(clone, "..", "ran");
    rmSync(mark, { force: true });
    const program = join(clone, ".git", "evil");
    writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${mark}\nexit 1\n`, { mode: 0o755 });
    for (const folder of ["hooks", "evil-hooks"]) {
      mkdirSync(join(clone, ".git", folder), { recursive: true });
      for (const hook of ["reference-transaction", "pre-push", "post-update", "post-checkout", "pre-auto-gc"])
        writeFileSync(join(clone, ".git", folder, hook), `#!/bin/sh\necho ${hook} >> ${mark}\n`, { mode: 0o755 });
    }
    const all = (section: string, ...names: string[]) =>
      `[${section}]\n${names.map((name) => ` ${name} = ${program}\n`).join("")}`;
    appendFileSync(
      join(clone, ".git", "config"),
      [
        all("core", "fsmonitor", "sshCommand", "gitProxy", "pager", "askPass", "editor", "alternateRefsCommand"),
        `[core]\n hooksPath = ${join(clone, ".git", "evil-hooks")}\n`,
        all('remote "origin"', "uploadpack", "receivepack"),
        all('remote "hostform"', "uploadpack", "receivepack"),
        all("gpg", "program"),
        all("diff", "external"),
        all("uploadpack", "packObjectsHook"),
        all("credential", "helper"),
        `[alias]\n update-ref = !${program}\n push = !${program}\n`,
        "[commit]\n gpgSign = true\n[push]\n gpgSign = true\n",
        '[protocol]\n allow = always\n[protocol "ext"]\n allow = always\n[include]\n path = more\n',
      ].join(""),
    );
    writeFileSync(join(clone, ".git", "more"), `[core]\n sshCommand = ${program}\n`);
    return { clone, remote, mark, program };
  };

  test("runs none of them, and its inventory is kept all the same", async () => {
    const { clone, remote, mark } = setUp();
    await applied(await shop.open(clone), "a");
    expect(existsSync(mark)).toBe(false);
    expect(namesIn((await (await shop.open(shop.clone(remote))).read()).inventory)).toEqual(["a"]);
    // That they would run for anyone else:
    shop.git(clone, "update-ref", "refs/heads/other", "HEAD");
    expect(existsSync(mark)).toBe(true);
  });

  test.each(
    size.every(6, [
      "ssh://127.0.0.1:1/x",
      "git://127.0.0.1:1/x",
      "https://127.0.0.1:1/x",
      "ext::sh -c evil% %S",
      "evil::x",
      "-evil",
    ]),
  )("does not run them to reach %s either", async (url) => {
    const { clone, mark } = setUp();
    shop.git(clone, "config", "remote.origin.url", url.replace("sh -c evil", `sh -c date>>${mark}`));
    const store = await shop.open(clone);
    expect(codes((await store.read()).notices)).toEqual(["inventory_unreadable"]);
    expect(await store.begin(ours("a"))).toMatchObject({ kept: true });
    expect(existsSync(mark)).toBe(false);
  });

  test("but the user's own settings are used to reach a remote", async () => {
    const { clone, mark, program } = setUp();
    shop.git(clone, "config", "remote.origin.url", "ssh://127.0.0.1:1/x");
    const home = join(shop.folder, "other-home");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, ".gitconfig"), `[core]\n sshCommand = ${program} mine\n`);
    await (await shop.open(clone, { env: { ...shop.env, HOME: home } })).read();
    expect(existsSync(mark)).toBe(true);
  });

  test("a remote that asks for credentials gets the user's, and the header that a CI job left; never those of a program named here", async () => {
    const { clone, mark } = setUp();
    const headers: (string | undefined)[] = [];
    const server = await startHttpsServer((request, response) => {
      headers.push(request.headers.authorization);
      response.writeHead(401, { "www-authenticate": 'Basic realm="x"' }).end();
    });
    const home = join(shop.folder, "credential-home");
    mkdirSync(home, { recursive: true });
    writeFileSync(join(home, "ca.pem"), server.ca);
    writeFileSync(
      join(home, ".gitconfig"),
      `[http]\n sslCAInfo = ${join(home, "ca.pem")}\n[credential]\n helper = "!echo username=u; echo password=p; true"\n`,
    );
    shop.git(clone, "config", "remote.origin.url", `${server.baseUrl.origin}/x`);
    await (await shop.open(clone, { env: { ...shop.env, HOME: home } })).read();
    expect(headers).toContain(`Basic ${Buffer.from("u:p").toString("base64")}`);
    headers.length = 0;
    shop.git(clone, "config", `http.${server.baseUrl.origin}/.extraheader`, "AUTHORIZATION: Basic of-the-job");
    await (await shop.open(clone, { env: { ...shop.env, HOME: home } })).read();
    expect(headers).toContain("Basic of-the-job");
    expect(existsSync(mark)).toBe(false);
    await server.close();
  });

  test("the environment of a hook does not lead to another repository", async () => {
    const clone = shop.clone(shop.makeRemote());
    const other = shop.clone(shop.makeRemote());
    const env = {
      ...shop.env,
      GIT_DIR: join(other, ".git"),
      GIT_INDEX_FILE: join(other, ".git/index"),
      GIT_WORK_TREE: other,
    };
    await applied(await shop.open(clone, { env }), "a");
    expect(shop.git(other, "for-each-ref", "refs/hostform")).toBe("");
    expect(shop.git(clone, "for-each-ref", ref)).not.toBe("");
  });
});

describe("what git's processes are given", () => {
  test("holds no secret that the manifest names, under whatever name, and no key", async () => {
    const clone = shop.clone(shop.makeRemote());
    const [bin, dump] = [join(clone, ".git", "bin"), join(clone, ".git", "dump")];
    mkdirSync(bin);
    writeFileSync(join(bin, "git"), `#!/bin/sh\nenv >> '${dump}'\nPATH='${shop.env["PATH"]}' exec git "$@"\n`, {
      mode: 0o755,
    });
    const lines = [
      "version: 1",
      "name: agency",
      "domains: { a.example: {} }",
      "mail: { a.example: { mailboxes: { i: { quota: 1 GiB, password: '${env:BOX_PASSWORD}' }, j: { quota: 1 GiB, password: '${env:PIN}' } } } }",
    ];
    writeFileSync(join(clone, "manifest.yaml"), `${lines.join("\n")}\n`);
    const secrets = { BOX_PASSWORD: "correct horse battery", PIN: "47114711a", HOSTFORM_API_KEY: "the-key-of-the-api" };
    const others = { COPY: "47114711a", URL_WITH_IT: "imap://i:correct horse battery@a.example" };
    const env = { ...shop.env, PATH: `${bin}:${shop.env["PATH"]}`, ...secrets, ...others, KEPT: "kept" };
    for (const command of [["inventory"], ["inventory", "--adopt", "domain/a.example"]]) {
      const args = [...command, "-f", "manifest.yaml", "--base-url", "https://api.test"];
      expect(await runHostform(args, { env, cwd: clone })).toMatchObject({ status: 0 });
    }
    const given = readFileSync(dump, "utf8");
    expect(given).toContain("KEPT=kept");
    for (const name of [...Object.keys(secrets), ...Object.keys(others)]) expect(given).not.toContain(`${name}=`);
    for (const value of Object.values(secrets)) expect(given).not.toContain(value);
  });
});

describe("what someone else has pushed", () => {
  const valid = { version: 1, target: key, addresses: ["domain/a.example"], prevent_destroy: [] };
  // On top of what is there: a history that is begun anew is another test's.
  const push = (remote: string, text: string, mode?: string, file?: string) =>
    commitToRef(shop, remote, { ref, subject: "pushed", text, mode, file });

  const broken: [string, string][] = [
    ["no JSON", "{"],
    ["no object", "[]"],
    ["not UTF-8", "\u0000"],
    ["an address that is no text", JSON.stringify({ ...valid, addresses: [1] })],
    ["no addresses", JSON.stringify({ version: 1, target: key })],
    ["more than is known", JSON.stringify({ ...valid, more: 1 })],
    [
      "a time that is none",
      JSON.stringify({ ...valid, last_apply: { time: "now", plan_hash: "", by: "", manifests: [] } }),
    ],
    [
      "a commit that is an option",
      JSON.stringify({
        ...valid,
        last_apply: { commit: "--help", time: "2026-01-01T00:00:00Z", plan_hash: "", by: "", manifests: [] },
      }),
    ],
    ["a newer version", JSON.stringify({ ...valid, version: 2 })],
    ["another target's", JSON.stringify({ ...valid, target: "other" })],
    ["ten megabytes", JSON.stringify({ ...valid, target: "x".repeat(10_000_000) })],
  ];

  test.each(["cron/", "dns_record/.", "cron/a/..", "cron//a"])(
    "is none where it holds a list that no path can name: %s",
    (list) => {
      const read = (...lists: readonly string[]) =>
        parseContent(Buffer.from(JSON.stringify({ ...valid, after_due: lists })), key).ok;
      expect([read("dns_record/a.example", "certificate"), read("certificate", list)]).toEqual([true, false]);
    },
  );

  test("is a warning and no inventory, where it is none", async () => {
    const remote = shop.makeRemote();
    const opened = await shop.open(shop.clone(remote));
    for (const [what, text] of size.every(6, broken)) {
      push(remote, text);
      const { inventory, notices } = await opened.read();
      expect({ what, inventory, codes: codes(notices) }).toEqual({
        what,
        inventory: undefined,
        codes: ["inventory_unreadable"],
      });
    }
    push(remote, "/etc/passwd", "120000");
    expect(codes((await opened.read()).notices)).toEqual(["inventory_unreadable"]);
    push(remote, "", "100644", "other");
    expect(codes((await opened.read()).notices)).toEqual(["inventory_unreadable"]);
  });

  test("is written over where it is broken, not where it is a newer version's; the history keeps both", async () => {
    const remote = shop.makeRemote();
    const clone = shop.clone(remote);
    const opened = await shop.open(clone);
    push(remote, "{");
    await applied(opened, "a");
    expect(namesIn((await opened.read()).inventory)).toEqual(["a"]);
    expect(shop.git(clone, "log", "--format=%s", ref).split("\n")).toEqual(["apply: a", "pushed"]);
    push(remote, JSON.stringify({ ...valid, version: 2 }));
    await opened.read();
    expect(await opened.begin(ours("b"))).toMatchObject({
      is: "written",
      kept: false,
      notices: [{ code: "inventory_not_kept" }],
    });
    expect(await opened.finish(ours("b"), "apply: b")).toEqual([]);
  });

  test("has its addresses in normal form, less those of kinds that are not known", async () => {
    const remote = shop.makeRemote();
    const addresses = ["domain/B.Example.", "teapot/x", "domain/", "../../x", "domain/a.example"];
    push(remote, JSON.stringify({ ...valid, addresses }));
    const { inventory, notices } = await (await shop.open(shop.clone(remote))).read();
    expect(namesIn(inventory)).toEqual(["a", "b"]);
    expect(notices).toMatchObject([{ severity: "notice", code: "inventory_unknown_address" }]);
    expect(notices[0]?.summary).toContain('"teapot/x"');
  });

  test.runIf(size.whole)("cannot lock everyone out for good", async () => {
    const remote = shop.makeRemote();
    const running = { by: "x", host: "y", pid: 1, since: "2026-01-01T00:00:00Z", until: "9999-01-01T00:00:00Z" };
    push(remote, JSON.stringify({ ...valid, running }));
    const opened = await shop.open(shop.clone(remote), leaseClock(5));
    const lockRef = `refs/hostform/lock/${key}`;
    const lie = { version: 1, id: "x", counter: 1, by: "x\u001b[2J", host: "y", pid: 1, since: "9999-01-01T00:00:00Z" };
    const contents = [JSON.stringify(lie), "{", "x".repeat(100_000), JSON.stringify({ ...lie, pid: -1 }), ""];
    const objects = [...contents.map((text) => () => storeText(shop, remote, text)), () => "HEAD^{tree}", () => "HEAD"];
    for (const object of size.every(9, objects)) {
      shop.git(remote, "update-ref", lockRef, object());
      expect(await opened.lock({ timeout: 0 })).toMatchObject({ is: "held" });
      await (await take(opened, 90_000)).release();
    }
    await take(opened);
    await opened.read();
    expect(await opened.begin(ours("a"))).toMatchObject({ is: "written", notices: [{ code: "inventory_taken_over" }] });
  });
});

describe("where no inventory can be kept", () => {
  test.each(
    size.every(6, [
      ["outside a repository", () => shop.folder, {}, /no git work tree/u],
      ["without git", () => shop.clone(shop.makeRemote()), { PATH: "/nonexistent" }, /git is not installed/u],
      ["inside a bare repository", () => shop.makeRemote(), {}, /no git work tree|cannot read/u],
    ]),
  )("%s: a notice says so, and everything else goes on", async (_where, folder, env, reason) => {
    const store = await shop.open(folder(), { env: { ...shop.env, ...env } });
    const { inventory, notices, headContainsLastApply } = await store.read();
    expect([inventory, headContainsLastApply]).toEqual([undefined, "yes"]);
    expect(notices).toMatchObject([
      { severity: "notice", code: "no_inventory", summary: expect.stringMatching(reason) as string },
    ]);
    expect(await store.begin(ours("a"))).toEqual({ is: "written", kept: false, notices: [] });
    expect(await store.finish(ours("a"), "apply: a")).toEqual([]);
  });
});
