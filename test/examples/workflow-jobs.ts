import { cpSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import type { Ran } from "../support/run-hostform.ts";
import type { Machine } from "./machine.ts";

type Env = Readonly<Record<string, string>>;

/** A step of a job: a command, or a file or a folder that later jobs get, or that an earlier one has kept. */
export interface Step {
  readonly run?: string | undefined;
  readonly env?: Env | undefined;
  /** A file without which the step is left out, and with which it also runs after a failure. */
  readonly needs?: string | undefined;
  readonly keeps?: string | undefined;
  readonly gets?: string | undefined;
}
export type Jobs = Readonly<Record<string, readonly Step[]>>;

interface WrittenStep extends Pick<Step, "run" | "env"> {
  readonly uses?: string;
  readonly if?: string;
  readonly with?: Env;
}

/** Reads the jobs of a workflow of GitHub or Forgejo. Throws an error for a step that it does not know. */
export function actionsJobs(text: string): Jobs {
  const { jobs, env } = parse(text) as { env: Env; jobs: Record<string, { steps: WrittenStep[] }> };
  return Object.fromEntries(
    Object.entries(jobs).map(([name, { steps }]) => [name, steps.flatMap((step) => stepsOf(step, env))]),
  );
}

function stepsOf({ run, env, uses = "", if: when, with: given }: WrittenStep, all: Env): Step[] {
  if (run !== undefined) return [{ run, env: { ...all, ...env }, needs: /hashFiles\('(.+)'\)/u.exec(when ?? "")?.[1] }];
  if (/\/(?:checkout|setup-node)@/u.test(uses)) return [];
  if (/\/(?:upload-artifact|cache\/save)@/u.test(uses)) return [{ keeps: given?.["path"] }];
  if (uses.includes("/download-artifact@")) return [{ gets: "plan.json" }];
  if (uses.includes("/cache/restore@")) return [{ gets: given?.["path"] }];
  throw new Error(`an unknown step: ${uses}`);
}

/** Reads the jobs of a pipeline of GitLab. Files of artifacts are handed on, and each line NAME=VALUE of a dotenv file is a variable. */
export function gitLabJobs(text: string): Jobs {
  const { variables, ...jobs } = parse(text) as Record<string, { script?: string[] } & Record<string, unknown>>;
  const { before_script: before = [] } = jobs[".hostform"] as { before_script?: string[] };
  return Object.fromEntries(
    Object.entries(jobs).flatMap(([name, { script, artifacts }]) => {
      if (script === undefined) return [];
      const { paths = [], reports = {} } = (artifacts ?? {}) as { paths?: string[]; reports?: Record<string, string> };
      const { dotenv } = reports;
      const run = [...before, ...script, ...(dotenv === undefined ? [] : [`cat ${dotenv} >> "$GITHUB_OUTPUT"`])];
      const gets = name === "apply" ? [{ gets: "plan.json" }] : [];
      return [
        [name, [...gets, { run: run.join("\n"), env: variables as never }, ...paths.map((keeps) => ({ keeps }))]],
      ];
    }),
  );
}

/** What a job has handed on: outputs, and a folder of files. */
export interface Handed {
  readonly outputs: Record<string, string>;
  readonly files: string;
}

/**
 * Runs the steps of a job on a new machine. Ends at the first command that fails, but for a step that says otherwise.
 * @param valueOf returns the value of an expression of the forge.
 */
export async function runSteps(
  machine: Machine,
  steps: readonly Step[],
  handed: Handed,
  { env, valueOf, killAt }: { env: Env; valueOf: (expression: string) => string; killAt?: RegExp | undefined },
): Promise<Ran> {
  const fill = (text: string) =>
    text.replaceAll(/\$\{\{\s*(.+?)\s*\}\}/gu, (_, expression: string) => {
      const output = /^(?:steps|needs)\.\w+\.outputs\.(\w+)$/u.exec(expression)?.[1];
      return output === undefined ? valueOf(expression) : (handed.outputs[output] ?? "");
    });
  let status: number | null = 0;
  let [stdout, stderr] = ["", ""];
  for (const { run, env: own = {}, needs, keeps, gets } of steps) {
    if (needs === undefined ? status !== 0 : !existsSync(join(machine.folder, needs))) continue;
    if (gets !== undefined) copy(handed.files, machine.folder, gets);
    if (keeps !== undefined) copy(machine.folder, handed.files, keeps);
    if (run === undefined) continue;
    const given = Object.entries({ ...env, ...own }).map(([name, value]) => [name, fill(value)]);
    const ran = await machine.run(run, Object.fromEntries(given), killAt);
    status = status === 0 ? ran.status : status;
    stdout += ran.stdout;
    stderr += ran.stderr;
    Object.assign(handed.outputs, machine.outputs());
  }
  return { status, stdout, stderr };
}

function copy(from: string, to: string, path: string): void {
  mkdirSync(dirname(join(to, path)), { recursive: true });
  cpSync(join(from, path), join(to, path), { recursive: true });
}
