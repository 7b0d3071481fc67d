import type { Opened } from "./run-plan.ts";

/** Ends the run at the first Ctrl-C or SIGTERM: to be called before anything is begun that must not be left half done. */
export function stopOnInterrupt({ io, output, open }: Pick<Opened, "io" | "output" | "open">): void {
  io.onInterrupt(() => {
    output.say("stopping", "Stopping: what is in flight is finished, nothing new starts. Once more to leave at once.");
    open.stop();
  });
}
