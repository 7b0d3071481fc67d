import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { kinds } from "../../src/kinds/index.ts";
import { commandsOf, readBlocks } from "./read-commands.ts";
import { size } from "../proofs/size.ts";
import { openWorkplace, readme, root } from "./workplace.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const folder = join(root, "docs");
const names = readdirSync(folder);
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");

describe("the pages in docs/", () => {
  test("have fewer than 150 lines each, but for the reference of the library, which is written from the types", () => {
    const pages = names.filter((name) => name !== "library-reference.md");
    expect(pages.filter((name) => textOf(name).split("\n").length >= 150)).toEqual([]);
  });

  test("are each linked from the README or from another page, and link only to files that exist", () => {
    const targetsIn = (text: string) => [...text.matchAll(/\]\(([^)#]+)\)/gu)].map(([, target = ""]) => target);
    const fromPages = names.flatMap((name) => targetsIn(textOf(name)).map((target) => join("docs", target)));
    const targets = new Set([...fromPages, ...targetsIn(readme)].map((target) => join(root, target)));
    expect(names.filter((name) => !targets.has(join(folder, name)))).toEqual([]);
    for (const target of targets) expect(() => readdirOrRead(target), target).not.toThrow();
  });

  test("on the fields of a manifest are written from the schema (npm run docs)", () => {
    const written = folderForTest();
    execFileSync(process.execPath, [join(root, "scripts", "write-fields-pages.mjs"), written]);
    expect(readdirSync(written)).toHaveLength(3);
    for (const name of readdirSync(written)) expect(textOf(name)).toBe(readFileSync(join(written, name), "utf8"));
  });
});

test.each(kinds.map(({ name, manifest }) => [name, manifest] as const))(
  "the pages know where a %s stands in a manifest: %s",
  (_name, manifest) => {
    const section = manifest.split(".")[0] ?? "";
    const pages = names.filter((name) => name.startsWith("fields"));
    const hasBlock = pages.some((name) => textOf(name).includes(`## \`${section}.`));
    expect(hasBlock, `add ${section} to \`pages\` in scripts/write-fields-pages.mjs, then npm run docs`).toBe(true);
    const isNamed = textOf("templates.md").includes(`\`${section}\``);
    expect(isNamed, `name the section ${section} in docs/templates.md`).toBe(true);
  },
);

/** The names of the sections of a manifest for people. */
const words: Readonly<Record<string, string>> = {
  services: "services",
  domains: "domains",
  dns: "DNS",
  mail: "mail",
  ftp: "FTP",
  databases: "databases",
  crons: "scheduled tasks",
  certificates: "certificates",
};

/** The sentences that list what Hostform manages, by the files that have them. */
const lists: Readonly<Record<string, RegExp>> = {
  "README.md": /a YAML manifest in git declares: [^.]+/u,
  "CHANGELOG.md": /- Reads a manifest of [^.]+/u,
  "docs/fields.md": /The pages: .+/u,
  "docs/manifest.md": /pages of their own: (?:(?!\n\n).)+/su,
};

test.each(Object.keys(lists))("the sentence in %s that lists what Hostform manages names each section", (file) => {
  const [sentence = ""] = lists[file]?.exec(readFileSync(join(root, file), "utf8")) ?? [];
  const sections = [...new Set(kinds.map(({ manifest }) => manifest.split(".")[0] ?? ""))];
  expect(
    sections.filter((section) => !new RegExp(`\\b${words[section] ?? "^"}\\b`, "u").test(sentence)),
    "name the section in that sentence, by its word in `words` of this test",
  ).toEqual([]);
});

/** The pages for those who change Hostform name many files of it. */
describe.each(["CONTRIBUTING.md", "src/README.md"])("the files that %s names", (page) => {
  const text = readFileSync(join(root, page), "utf8");

  test("are there", () => {
    const named = text.match(/\b(?:src|test|schemas|scripts|docs|examples)\/[\w./-]*\w/gu) ?? [];
    expect(named).not.toEqual([]);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("have the tests whose names its commands pick", () => {
    const picked = [...text.matchAll(/ (test\/\w+) -t "([^"]+)"/gu)];
    const namesIn = (path: string) => readFileSync(path, "utf8").match(/\btest\("[^"]+"/gu) ?? [];
    const absent = picked.filter(([, tests = "", name = ""]) => {
      const files = readdirSync(join(root, tests)).map((file) => join(root, tests, file));
      return !files.some((file) => namesIn(file).some((each) => each.includes(name)));
    });
    expect(absent.map(([command]) => command)).toEqual([]);
  });
});

describe("the sources", () => {
  const lines = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .flatMap((name) => readFileSync(join(root, "src", name), "utf8").split("\n"));

  test("name no page and no schema that does not exist", () => {
    const named = lines.flatMap((line) => line.match(/\b(?:docs|schemas)\/[\w/.-]+\.(?:md|json|yaml)\b/gu) ?? []);
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test("name a page by its path in no text of the program: a user's repository does not have it", () => {
    const texts = lines.filter((line) => !/^\s*(?:\/?\*|\/\/)/u.test(line));
    expect(texts.filter((line) => /\bdocs\/[\w-]+\.md\b/u.test(line))).toEqual([]);
  });
});

function readdirOrRead(path: string): void {
  try {
    readdirSync(path);
  } catch {
    readFileSync(path);
  }
}

// The pages on import, templates, zone files and contracts have tests of their own, for which more has to be prepared.
// Every third is tried in `npm test`, all in the soak.
const tried = ["manifest.md", "review.md", "emulator.md", "ownership.md", "ci.md", "library.md"];

describe.each(size.every(9, tried))("the page %s", (name) => {
  test("has commands that run in their order", async () => {
    const workplace = await openWorkplace();
    onTestFinished(workplace.close);
    // The README's story has a mailbox that was taken out: here its deletion is consented to.
    const remove = (action: string) =>
      workplace.write(
        join("hosting", "removed.yaml"),
        `removed:\n  - { address: "mailbox/jo@shop.example", action: ${action} }\n`,
      );
    remove("delete");
    workplace.write(
      join("hosting", "cron.yaml"),
      "crons: { shop.example: { jobs: { nightly: { schedule: 0 3 * * *, command: php backup.php } } } }\n",
    );
    workplace.commit();
    const commands = readBlocks(textOf(name)).flatMap((block) => (block.language === "sh" ? commandsOf(block) : []));
    expect(commands).not.toEqual([]);
    for (const command of commands) {
      const { status, stdout, stderr } = await workplace.run(command, command.includes("examples/") ? root : undefined);
      // A plan with this flag says by its exit code whether there is something to do.
      const expected = command.includes("--detailed-exitcode") ? [0, 2] : [0];
      expect(expected, `${command}\n${stdout}${stderr}`).toContain(status);
      // The mailbox is there again, and who wants it to stay says so.
      if (/\bapply\b.*\bundo\.json\b/u.test(command)) remove("forget");
    }
  });
});
