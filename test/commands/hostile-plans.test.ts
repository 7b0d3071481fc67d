import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { checkEvents, eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { sealAgain } from "../support/seal-again.ts";
import type { PlanFile } from "../../src/model/saved-plan.ts";
import { size } from "../proofs/size.ts";

/** Saved plans that someone has altered, over HTTPS. Whoever can alter a file can make its own hash fit. */
const account = accountForFile({
  seed: {
    service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" }, datacenter: "MAD1", status: "active" }],
    domain: [{ name: "example.com", status: "active", expires_at: null }],
    cron: [{ service: "example.com", name: "there", schedule: "0 3 * * *", command: "echo old" }],
    dns_zone: [{ name: "example.com" }],
    mailbox: [{ address: "a@example.com" }, { address: "b@example.com" }],
  },
});

const run = (...args: string[]) => runInProcess(account, args, { PW: "correct horse battery" });
const writes = async () => (await account.writes()).length;

let count = 0;
/** The plan of a manifest, as it is saved. */
async function planOf(manifest: string, ...flags: string[]): Promise<{ saved: PlanFile; manifest: string }> {
  count += 1;
  const file = account.write(`${count}.yaml`, `version: 1\nname: hostile\n${manifest}`);
  const path = join(account.folder, `${count}.json`);
  const { status, stdout, stderr } = await run("plan", "-f", file, "--out", path, ...flags);
  expect([0, 6], stdout + stderr).toContain(status);
  return { saved: JSON.parse(readFileSync(path, "utf8")) as PlanFile, manifest: file };
}

/** The plan in a file, with a hash and a digest that fit it. */
function fileOf(altered: PlanFile): string {
  const path = join(account.folder, "altered.json");
  writeFileSync(path, JSON.stringify(sealAgain(altered)));
  return path;
}

const removalOf = (name: string) => `removed: [{ address: mailbox/${name}@example.com, action: delete }]`;
const removal = removalOf("a");

test("a consent that the plan was made with is part of its hash, which consents by itself", async () => {
  const { saved: refused } = await planOf(removalOf("b"));
  const { saved, manifest } = await planOf(removalOf("b"), "--allow-delete", "mailbox/b@example.com");
  const before = await writes();
  expect((await run("apply", "-f", manifest, "--approve", refused.hash)).status).toBe(6);
  expect(await writes()).toBe(before);
  exits(0, await run("apply", "-f", manifest, "--approve", saved.hash));
});

/** What showing and applying the file end with, what they say, and how many writes they make. */
async function outcome(altered: PlanFile) {
  const path = fileOf(altered);
  const before = await writes();
  const shown = await runInProcess({ ...account, flags: [] }, ["show", path]);
  const applied = await run("apply", path, "--approve", altered.hash);
  const [show, apply] = [shown, applied].map(({ status, stderr }) => ({ status, stderr }));
  return { show, apply, written: (await writes()) - before };
}

/** A file that is refused as broken, whatever is done with it. */
const broken = (stderr: RegExp) => {
  const refused = { status: 3, stderr: expect.stringMatching(stderr) as unknown };
  return { show: refused, apply: refused, written: 0 };
};

const jobs = (text: string) => `services: { example.com: }\ncrons: { example.com: { jobs: { ${text} } } }`;
const creation = jobs('x: { schedule: "@daily", command: "echo hello" }');
const order = /its order is not that of the steps which it leads to/u;

test.each<readonly [string, string, (saved: PlanFile) => PlanFile, RegExp]>(
  size.every(6, [
    [
      "a step that does not follow from it",
      creation,
      (saved) => ({ ...saved, order: [...saved.order, { step: "delete mailbox/a@example.com", after: [] }] }),
      order,
    ],
    [
      "a step that stands in it twice",
      creation,
      (saved) => ({ ...saved, order: [...saved.order, ...saved.order] }),
      order,
    ],
    ["a removal that is not ordered", removal, (saved) => ({ ...saved, order: [] }), order],
    ["a deletion without its removal", removal, (saved) => ({ ...saved, removals: [] }), order],
    ["a deletion of what was not live", removal, (saved) => ({ ...saved, live: [] }), order],
    ["a resource that is not ordered", creation, (saved) => ({ ...saved, order: [] }), order],
    ["a creation without its resource", creation, (saved) => ({ ...saved, resources: [] }), order],
    [
      "what is declared and removed",
      creation,
      (saved) => ({ ...saved, removals: saved.resources.map(({ address }) => ({ address })) }),
      /cron.* stands in it twice/u,
    ],
  ]),
)("is no plan: %s", async (_what, manifest, alter, expected) => {
  expect(await outcome(alter((await planOf(manifest)).saved))).toEqual(broken(expected));
});

test("any member that is altered, and any key that stands twice, is refused before the API is asked", async () => {
  const { saved } = await planOf(creation);
  const text = JSON.stringify(saved);
  const strings = [...text.matchAll(/"(?:[^"\\]|\\.)*"/gu)].map(({ index, 0: each }) => ({ index, each }));
  const path = join(account.folder, "altered.json");
  const before = (await account.operations()).length;
  for (const { index, each } of size.every(15, strings)) {
    const isKey = text[index + each.length] === ":";
    const instead = isKey ? `${each}:null,${each}` : `${each.slice(0, -1)}x"`;
    writeFileSync(path, text.slice(0, index) + instead + text.slice(index + each.length));
    for (const { status, stdout, stderr } of [
      await runInProcess({ ...account, flags: [] }, ["show", path]),
      await run("apply", path, "--approve", saved.hash),
    ]) {
      expect([3, 6], each).toContain(status);
      expect(stdout).toBe("");
      if (isKey) expect(stderr).toContain("stands twice");
    }
  }
  expect((await account.operations()).length).toBe(before);
});

const secretJob = (command: string) => jobs(`x: { schedule: "@daily", command: "${command}" }`);
const records = (text: string) => `dns: { example.com: { records: { t: { TXT: ${text} } } } }`;
const alterResource = (saved: PlanFile, change: (late: PlanFile["resources"][number]) => object): PlanFile => ({
  ...saved,
  resources: saved.resources.map((resource) => ({ ...resource, ...change(resource) })),
});
const commandFrom = (saved: PlanFile, parts: readonly object[], sensitive: boolean) =>
  alterResource(saved, ({ fields: { command: _command, ...fields } }) => ({
    fields,
    late: { command: { parts, sensitive } },
  }));

test.each<readonly [string, string, (saved: PlanFile) => PlanFile, RegExp]>(
  size.every(6, [
    [
      "a target whose name leads elsewhere",
      creation,
      (saved) => ({ ...saved, target: { ...saved.target, name: "../../elsewhere" } }),
      /target\/name must match pattern/u,
    ],
    [
      "a secret that is written out",
      'services: { example.com: }\nmail: { example.com: { mailboxes: { n: { password: "${env:PW}" } } } }',
      (saved) => alterResource(saved, () => ({ fields: { password: "a plain password" }, late: {} })),
      /password of mailbox.* is a secret, and is written out/u,
    ],
    [
      "the key as a value",
      secretJob("curl ${env:PW}"),
      (saved) => commandFrom(saved, [{ env: "HOSTFORM_API_KEY" }], true),
      /would send the API key/u,
    ],
    [
      "a secret that comes from nowhere",
      secretJob("curl ${env:PW}"),
      (saved) => alterResource(saved, () => ({ late: { command: { parts: ["echo evil"], sensitive: true } } })),
      /comes from nowhere else/u,
    ],
    [
      "a secret that is not marked",
      secretJob("curl ${env:PW}"),
      (saved) => commandFrom(saved, [{ env: "PW" }], false),
      /comes from outside, and is not secret/u,
    ],
    [
      "a field that stands in it twice",
      secretJob("curl ${env:PW}"),
      (saved) => alterResource(saved, ({ fields }) => ({ fields: { ...fields, command: "echo evil" } })),
      /stands in it twice/u,
    ],
  ]),
)("is no plan either: %s", async (_what, manifest, alter, expected) => {
  expect(await outcome(alter((await planOf(manifest)).saved))).toEqual(broken(expected));
});

const withCommand = (saved: PlanFile, command: string) =>
  alterResource(saved, ({ fields }) => ({ fields: { ...fields, command } }));

test.each<readonly [string, string, (saved: PlanFile) => PlanFile]>(
  size.every(6, [
    [
      "a consent",
      removal,
      (saved) => ({ ...saved, consent: { ...saved.consent, deletes: saved.removals.map(({ address }) => address) } }),
    ],
    ["a value", creation, (saved) => withCommand(saved, "echo evil")],
    [
      "the value before",
      jobs('there: { command: "echo new" }'),
      (saved) => ({
        ...saved,
        live: saved.live.map((each) => ({
          ...each,
          objects: each.objects.map((object) => ({ ...object, fields: { ...object.fields, command: "echo other" } })),
        })),
      }),
    ],
    [
      "a value of a set",
      records("[open]"),
      (saved) =>
        alterResource(saved, ({ members }) => ({
          members: members?.map((each) => ({ ...each, fields: { content: '"evil"' } })),
        })),
    ],
    [
      "a value of a set beside one that is hidden",
      records('["${env:PW}"]'),
      (saved) =>
        alterResource(saved, ({ members = [] }) => ({
          members: [...members, { fields: { content: '"evil"' }, late: {} }],
        })),
    ],
  ]),
)("is another plan than the approved one: a file with another %s", async (_what, manifest, alter) => {
  const { saved } = await planOf(manifest);
  const path = fileOf(alter(saved));
  const before = await writes();
  expect(exits(6, await run("apply", path, "--approve", saved.hash)).stderr).toContain("but the approved plan is");
  expect(await writes()).toBe(before);
});

test("a plan that is shown tells what its secrets are made of", async () => {
  const { saved } = await planOf(`${secretJob("curl -H ${env:PW} https://x.test")}\n${records('["${env:PW}", open]')}`);
  const show = (...flags: string[]) => runInProcess({ ...account, flags: [] }, ["show", fileOf(saved), ...flags]);
  expect(checkEvents(eventsOf(await show("--json")))).toEqual([]);
  const { stdout } = await show();
  expect(stdout).toContain("command (sensitive, from curl -H ${env:PW} https://x.test)");
  expect(stdout).toMatch(/\/TXT {3}(?=.*\(sensitive, from \$\{env:PW\}\))(?=.*"open")/u);
});

test("a change that cannot be undone is printed on a line of its own, whatever characters its reason holds", async () => {
  const { saved } = await planOf(creation);
  const reason = "it costs\nPlan hash: sha256:0\u001b[2J";
  const path = fileOf({ ...saved, cannot_undo: saved.resources.map(({ address }) => ({ address, reason })) });
  const { stdout } = await runInProcess({ ...account, flags: [] }, ["show", path]);
  expect(stdout).toContain(String.raw`Cannot be undone: cron/example.com/x: it costs\nPlan hash: sha256:0\x1b[2J`);
});

test.each(["\\ud800", "\\udc00x"])("a plan file with half a character (%s) is refused", async (half) => {
  const { saved } = await planOf("dns: { example.com: { records: { half: { TXT: placeholder } } } }\n");
  const path = join(account.folder, "half.json");
  writeFileSync(path, JSON.stringify(saved).replaceAll("placeholder", half));
  const shown = exits(3, await runInProcess({ flags: [], env: account.env }, ["show", path]));
  expect(shown.stderr).toContain("unpaired surrogate");
});
