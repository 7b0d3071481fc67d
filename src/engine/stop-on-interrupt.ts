import type { Opened } from "./run-plan.ts";

/** Ends the run at the first Ctrl-C or SIGTERM: to be called before anything is begun that must not be left half done. */
export function stopOnInterrupt({ io, emit, open }: Pick<Opened, "io" | "emit" | "open">): void {
  io.onInterrupt(() => {
    emit({ type: "stopping" });
    open.stop();
  });
}
