import type { Host } from "../engine/session/host.ts";
import type { KnownSecrets } from "../engine/secrets/known-secrets.ts";
import type { Event } from "../render/json-events.ts";

/** The process as a command sees it. `cli/main.ts` makes it from `process`. */
export interface Io extends Host {
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
  /** Writes a command to the runner of a CI job, whose texts are masked and escaped, to standard error. */
  readonly writeCommand: (text: string) => void;
  /** True where a person can be asked: standard input and output are terminals. */
  readonly interactive: boolean;
  readonly color: boolean;
  /** Characters of a line that a person reads. */
  readonly width: number;
  /** The same of standard error, if it is a terminal. */
  readonly errorWidth?: number | undefined;
  /** Shows a line of progress on a terminal, which is erased before anything else is printed; an empty text erases it. */
  readonly showStatus: (text: string) => void;
  /** Characters of a line of standard error now, if that is a terminal whose lines can be erased. Default: it is not. */
  readonly columnsToErase?: (() => number | undefined) | undefined;
  /** Asks a question on the terminal; the answer without its line break, undefined where Ctrl-C was the answer, or `stop` was aborted. */
  readonly ask: (question: string, stop: AbortSignal) => Promise<string | undefined>;
  /** Prints an event of `--json` as a line, its values masked. */
  readonly writeEvent: (event: Event) => void;
}

/** The members that `cli/main.ts` gives; `maskingIo` adds the others. */
export type OuterIo = Omit<Io, "writeEvent" | "writeCommand" | "showStatus" | keyof KnownSecrets>;
