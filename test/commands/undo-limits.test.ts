import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { exits, runInProcess } from "../support/run-hostform.ts";
import { accountPutBack, head, inService, secrets } from "./account-put-back.ts";
import { size } from "../proofs/size.ts";

/** `plan --undo-out`: what a plan does is taken back by another plan, so that what is live is as it was, field by field. */
const { account, list, write, run, done } = accountPutBack();

describe("an undo names what it cannot bring back:", () => {
  test("what a mailbox held, and its password", async () => {
    const name = "gone.example";
    const manifest = write("gone.yaml", inService("mail", '{ mailboxes: { info: { password: "${env:PW}" } } }')(name));
    await done(["apply", "-f", manifest, "--auto-approve"]);
    write("gone.yaml", `${head(name)}removed: [{ address: mailbox/info@${name}, action: delete }]`);
    const undo = join(account.folder, "gone.json");
    const { stdout } = await done([
      "plan",
      "-f",
      manifest,
      "--undo-out",
      undo,
      "--allow-delete",
      `mailbox/info@${name}`,
    ]);
    expect(stdout).toContain(`Cannot be undone: mailbox/info@${name}: its password is not known`);
    expect(JSON.parse(readFileSync(undo, "utf8"))).toMatchObject({
      undo: true,
      order: [],
      cannot_undo: [{ address: `mailbox/info@${name}` }],
    });
  });

  test("a purchase, and a secret value", async () => {
    const text =
      'domains: { bought.example: { register: true } }\ndns: { secret.example: { records: { t: { TXT: "${env:PW}" } } } }';
    const manifest = write("bought.yaml", text);
    const undo = join(account.folder, "bought.json");
    const flags = ["--allow-purchase", "domain/bought.example"];
    const bought = await done(["plan", "-f", manifest, "--undo-out", undo, ...flags]);
    expect(bought.stdout).toContain("Cannot be undone: domain/bought.example: it stays, because it costs money");
    await done(["apply", "-f", manifest, "--auto-approve", ...flags]);
    write("bought.yaml", text.replace("env:PW", "env:OTHER"));
    const changed = await done(["plan", "-f", manifest, "--undo-out", undo]);
    expect(changed.stdout).toMatch(/Cannot be undone: dns_record\/secret\.example\/t\/TXT: its values are secret/u);
    for (const secret of Object.values(secrets)) expect(readFileSync(undo, "utf8")).not.toContain(secret);
  });
});

test("an undo leaves a new set with a secret value, and shows the value to nobody who has not got it", async () => {
  const zone = "secretly.example";
  const manifest = write("secretly.yaml", `dns: { ${zone}: }`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const records = '{ t: { TXT: "${env:PW}" }, www: { A: 192.0.2.1 } }';
  write("secretly.yaml", `dns: { ${zone}: { records: ${records} } }`);
  const undo = join(account.folder, "secretly.json");
  const planned = await done(["plan", "-f", manifest, "--undo-out", undo]);
  expect(planned.stdout).toContain(
    `Cannot be undone: dns_record/${zone}/t/TXT: it stays, because its values are secret`,
  );
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const { stdout, stderr } = exits(0, await runInProcess(account, ["apply", undo, "--auto-approve"], {}));
  expect(stdout + stderr + readFileSync(undo, "utf8")).not.toContain(secrets.PW);
  const [{ id } = { id: "" }] = (await list("/dns/zones")).filter(({ name }) => name === zone);
  const left = (await list(`/dns/zones/${String(id)}/records`)).map(({ type }) => type);
  expect(left).toContain("TXT");
  expect(left).not.toContain("A");
});

test("an undo skips what cannot be undone, lists it with the reason, and does the rest", async () => {
  const name = "skips.example";
  const inventory = ["--inventory", join(account.folder, "skips.inventory.json")];
  const manifest = write(
    "skips.yaml",
    `domains: { ${name}: }\ndns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }`,
  );
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  write(
    "skips.yaml",
    `${head(name)}dns: { ${name}: { records: { www: { A: 192.0.2.2 } } } }
certificates: { ${name}: [{ domains: [${name}] }] }
databases: { ${name}: { databases: { kept: { engine: mariadb, lifecycle: { prevent_destroy: true } }, gone: { engine: mariadb } } } }`,
  );
  const undo = join(account.folder, "skips.json");
  const { stdout } = await done(["plan", "-f", manifest, "--undo-out", undo, ...inventory]);
  expect(stdout).toContain(`Cannot be undone: certificate/${name}/managed: it stays, because the API cannot delete it`);
  expect(stdout).toContain(`Cannot be undone: service/${name}: it stays, because`);
  expect(stdout).toContain(`Cannot be undone: database/${name}/kept: it stays, because`);
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  const back = await done(["apply", undo, "--auto-approve", "--allow-delete", `database/${name}/gone`, ...inventory]);
  expect(back.stdout).toContain(`Cannot be undone: service/${name}`);
  const [service] = (await list("/services")).filter(({ domain }) => domain === name);
  const databases = await list(`/databases?service_id=${String(service?.["id"])}`);
  expect(databases.map(({ name: each }) => each)).toEqual(["kept"]);
  expect((await list("/domains")).find(({ name: each }) => each === name)).toMatchObject({ service_id: null });
  const held = JSON.parse(readFileSync(join(account.folder, "skips.inventory.json"), "utf8")) as {
    addresses: string[];
  };
  expect(held.addresses).toContain(`service/${name}`);
  expect(held.addresses).not.toContain(`database/${name}/gone`);
});

test("an undo skips what a manifest applied meanwhile keeps from being destroyed", async () => {
  const name = "later.example";
  const inventory = ["--inventory", join(account.folder, "later.inventory.json")];
  const text = (lifecycle: string) =>
    `${head(name)}crons: { ${name}: { jobs: { a: { schedule: "@daily", command: x${lifecycle} }, b: { schedule: "@daily", command: y } } } }`;
  const manifest = write("later.yaml", head(name));
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  write("later.yaml", text(""));
  const undo = join(account.folder, "later.json");
  await done(["plan", "-f", manifest, "--undo-out", undo, ...inventory]);
  write("later.yaml", text(", lifecycle: { prevent_destroy: true }"));
  await done(["apply", "-f", manifest, "--auto-approve", ...inventory]);
  const { stdout } = await done(["apply", undo, "--auto-approve", ...inventory]);
  expect(stdout).toContain(`Cannot be undone: cron/${name}/a: it stays, because`);
  expect(stdout).not.toContain(`Done already: delete cron/${name}/a`);
  const [service] = (await list("/services")).filter(({ domain }) => domain === name);
  expect((await list(`/crons?service_id=${String(service?.["id"])}`)).map(({ name: each }) => each)).toEqual(["a"]);
});

describe("the consent that an undo asks for", () => {
  const name = "consent.example";
  const undo = () => join(account.folder, "consent.json");
  const flagSets = [
    [`${name}=4`],
    [`mailbox/${name}`, `domain/${name}`].map((each) => `${each.split("/")[0] ?? ""}/*=1`).concat("dns_zone/*=1"),
    [`mailbox/info@${name}`, `domain/${name}`, `dns_zone/${name}`],
  ];

  beforeEach(async () => {
    const kept = account.write("consent.yaml", `version: 1\nname: consent\ndomains: { other.example: }`);
    await done(["apply", "-f", kept, "--auto-approve"]);
    account.write(
      "consent.yaml",
      `version: 1\nname: consent\ndomains: { ${name}: , other.example: }\ndns: { ${name}: { records: { www: { A: 192.0.2.1 } } } }
mail: { ${name}: { mailboxes: { info: { password: "\${env:PW}" } } } }`,
    );
    await done(["plan", "-f", kept, "--undo-out", undo()]);
    await done(["apply", "-f", kept, "--auto-approve"]);
  });

  test.runIf(size.whole)("is printed as flags, and in no words that only a manifest can follow", async () => {
    const { stdout } = exits(6, await run(["apply", undo(), "--auto-approve"]));
    expect(stdout).toContain(`to allow all: --allow-delete ${name}=`);
    expect(stdout).not.toContain("removed:");
    expect(stdout).not.toContain("a new plan");
  });

  test.each(
    size.every(
      6,
      flagSets.map((values) => [values.join(" "), values] as const),
    ),
  )("is given by %s", async (_, values) => {
    const flags = values.flatMap((value) => ["--allow-delete", value]);
    exits(0, await run(["apply", undo(), "--auto-approve", ...flags]));
    expect(await list(`/mail/accounts?domain=${name}`)).toEqual([]);
  });

  test("is not given by another number", async () => {
    exits(6, await run(["apply", undo(), "--auto-approve", "--allow-delete", `${name}=3`]));
    expect(await list(`/mail/accounts?domain=${name}`)).toHaveLength(1);
  });
});

test("an undo allows nothing by itself, and is refused where what it would change has moved", async () => {
  const name = "moved.example";
  const manifest = write("moved.yaml", head(name));
  await done(["apply", "-f", manifest, "--auto-approve"]);
  write("moved.yaml", `${head(name).replace("WEB-M", "WEB-L")}dns: { ${name}: }`);
  const undo = join(account.folder, "moved.json");
  await done(["plan", "-f", manifest, "--undo-out", undo]);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  expect(exits(6, await run(["apply", undo, "--auto-approve"])).stdout).toContain(`--allow-delete dns_zone/${name}`);
  write("moved.yaml", `${head(name).replace("WEB-M", "WEB-S")}dns: { ${name}: }`);
  await done(["apply", "-f", manifest, "--auto-approve"]);
  const moved = exits(6, await run(["apply", undo, "--auto-approve", "--allow-delete", `dns_zone/${name}`]));
  expect(moved.stderr).toContain(`service/${name} has moved since the plan was made: plan was WEB-L, and is WEB-S`);
});
