import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readBlocks } from "./read-commands.ts";

type Env = Readonly<Record<string, string>>;
interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Env;
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly concurrency?: Readonly<Record<string, unknown>>;
  readonly env?: Env;
  readonly steps: readonly Step[];
}
interface Workflow extends Omit<Job, "steps"> {
  readonly jobs: Readonly<Record<string, Job>>;
}

/** The rules that a workflow breaks: one line each. */
function mistakesIn(text: string): string[] {
  const { jobs, ...whole } = parse(text) as Workflow;
  const mistakes: string[] = [];
  const expectThat = (holds: boolean, mistake: string) => void (holds || mistakes.push(mistake));
  const hasSecret = (part: unknown) => JSON.stringify(part ?? {}).includes("secrets.");
  expectThat(!hasSecret(whole), "a secret for the whole workflow");
  expectThat(whole.concurrency === undefined, "a run that waits cancels another that waits, also one that applies");
  for (const [, action = "", rest = ""] of text.matchAll(/^\s*(?:- )?uses: (\S+)(.*)$/gmu))
    expectThat(/@[0-9a-f]{40}$/u.test(action) && / # v\d+\.\d+\.\d+$/u.test(rest), `${action} is not pinned`);
  for (const [name, { steps, ...job }] of Object.entries(jobs)) {
    expectThat(!hasSecret(job), `a secret for the whole job ${name}`);
    const { contents, ...others } = job.permissions ?? whole.permissions ?? { all: "write" };
    const applies = steps.some(({ run = "" }) => run.includes("hostform apply"));
    expectThat(contents === (applies ? "write" : "read"), `${name} has contents: ${contents}`);
    const cancels = job.concurrency?.["cancel-in-progress"] ?? true;
    expectThat(!applies || cancels === false, `${name} may be cancelled, or runs twice at once`);
    const writes = steps.some(({ run = "" }) => run.includes("forge.mjs"));
    const rest = Object.keys(others).filter((each) => !writes || !["pull-requests", "issues"].includes(each));
    expectThat(rest.length === 0, `${name} may ${JSON.stringify(others)}`);
    for (const { run = "", env, ...step } of steps) {
      expectThat(!hasSecret(step) && !hasSecret(run), `a secret outside env in ${name}`);
      const isOurs = /^\s*hostform (?:plan|apply|drift|snapshot)\b/mu.test(run) && !/npm install|--live/u.test(run);
      expectThat(isOurs === (env?.["HOSTFORM_API_KEY"] !== undefined), `the key of ${run}`);
      expectThat(isOurs || !hasSecret(env), `a secret for ${run}`);
      const given = { ...whole.env, ...job.env, ...env };
      for (const variable of ["HOSTFORM_BASE_URL", "HOSTFORM_CONTRACT"])
        expectThat(!isOurs || (given[variable] ?? "") !== "", `${variable} is not set for ${run}`);
    }
  }
  return mistakes;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const textsIn = (folder: string, names: RegExp) =>
  readdirSync(join(root, folder))
    .filter((name) => names.test(name))
    .map((name) => ({ name: join(folder, name), text: readFileSync(join(root, folder, name), "utf8") }));
const blocks = [...textsIn(".", /^README\.md$/u), ...textsIn("docs", /\.md$/u)].flatMap(({ name, text }) =>
  readBlocks(text).map((block) => ({ name: `${name}:${block.line}`, text: block.text })),
);
const written = [...textsIn("examples/ci", /\.ya?ml$/u), ...blocks].filter(({ text }) => /^jobs:/mu.test(text));

describe("a workflow that a reader may copy", () => {
  test("stands in examples/ci", () => {
    expect(written.map(({ name }) => name.replace(/:\d+$/u, ""))).toEqual([
      "examples/ci/forgejo.yaml",
      "examples/ci/github.yaml",
    ]);
  });

  test.each(written)(
    "$name pins its actions by commit, gives the key to the steps that need it, and may write only where it applies",
    ({ text }) => expect(mistakesIn(text)).toEqual([]),
  );

  test("never cancels an apply on GitLab, nor runs two at once", () => {
    const text = readFileSync(join(root, "examples/ci/gitlab-ci.yml"), "utf8");
    expect((parse(text) as Record<string, object>)["apply"]).toMatchObject({
      interruptible: false,
      resource_group: expect.stringMatching(/./u),
    });
  });

  test("offers no git URL to npm, which installs no such package for all users", () => {
    const offers = [...written, ...textsIn(".", /^README\.md$/u), ...textsIn("docs", /^ci\.md$/u)];
    expect(offers.filter(({ text }) => /git\+|or git URL/iu.test(text))).toEqual([]);
  });

  test("says that the path of a tarball begins with ./, since npm takes a/b.tgz for a repository of GitHub", () => {
    const texts = [...written, ...textsIn("docs", /^ci\.md$/u)];
    const naming = texts.filter(({ text }) =>
      /HOSTFORM_PACKAGE\b[^;]{0,200}tarball|tarball[^;]{0,200}HOSTFORM_PACKAGE/u.test(text),
    );
    expect(naming).toHaveLength(3);
    expect(naming.filter(({ text }) => !/\.\/(?:PATH|`)/u.test(text))).toEqual([]);
  });
});
