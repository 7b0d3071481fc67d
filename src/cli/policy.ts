import { badArguments } from "../engine/session/input-error.ts";
import type { Judge } from "../engine/session/run-options.ts";
import { commandEnvironment, describeEnd, wordsOf } from "../engine/session/secret-commands.ts";
import { version } from "../engine/session/node-host.ts";
import { escapeJson } from "../lib/escape.ts";
import { runProgram, type ProgramEnd } from "../lib/run-program.ts";
import type { Plan } from "../model/plan.ts";
import { planEvents } from "../render/json-events.ts";
import { maskEvent } from "../render/mask-event.ts";
import type { Io } from "./io.ts";

export interface PolicyOptions {
  /** The program that may refuse a plan, with its arguments. Default: `HOSTFORM_POLICY_COMMAND`. */
  readonly policyCommand?: string | undefined;
  /** Seconds that it may take. Default: 60. */
  readonly commandTimeout?: number | undefined;
}

type Means = Pick<Io, "env" | "mask">;

const mostOutput = 64 * 1024;
const mostRefusals = 100;

/** Returns what asks the policy of the runner about a plan; undefined where there is none. Throws an InputError for what is not a command. */
export function policyOf({ policyCommand, commandTimeout = 60 }: PolicyOptions, io: Means): Judge | undefined {
  const { HOSTFORM_POLICY_COMMAND: variable } = io.env;
  const given = policyCommand ?? variable;
  if (given === undefined) return undefined;
  const words = wordsOf(given);
  if (typeof words === "string")
    throw badArguments(
      `--policy-command (HOSTFORM_POLICY_COMMAND): ${words}`,
      `write words between blanks, or a JSON list such as '["sh", "-c", "one | two"]'`,
    );
  return async (plan) => {
    const end = await runProgram(words, {
      env: commandEnvironment(io.env),
      input: policyInput(plan, io),
      timeout: commandTimeout * 1000,
      maxOutput: mostOutput,
    });
    return refusalsIn(end, io);
  };
}

/** Returns what makes the judge of each account of a fleet. Throws an InputError for what is not a command. */
export function policyOfEach(io: Means): (means: Means) => Judge | undefined {
  policyOf({}, io);
  return (means) => policyOf({}, means);
}

/** Returns a plan as a policy gets it (docs/policy.md): the events of `--json`, their values masked. */
function policyInput(plan: Plan, { mask }: Means): string {
  const events = planEvents(plan, { showIgnored: false }).map((event) => maskEvent(event, mask));
  return escapeJson(JSON.stringify({ format: 1, hostform: version(), events }));
}

/** Returns each line that a policy printed before it ended with another exit code than 0; at least one. */
function refusalsIn(end: ProgramEnd, { mask }: Means): readonly string[] {
  const failed = describeEnd(end, mask);
  if (failed === undefined) return [];
  const printed = end.status === undefined ? [] : end.stdout.toString().split(/[\r\n]+/u);
  const lines = printed.map((line) => line.trim()).filter((line) => line !== "");
  return lines.length > 0 ? lines.slice(0, mostRefusals) : [`its command ${failed}`];
}
