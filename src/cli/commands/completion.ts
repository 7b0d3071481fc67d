import type { Ending } from "../../engine/ending.ts";
import { completionScripts } from "../completion-scripts.ts";
import type { Io } from "../io.ts";

/** Prints the script of a shell. */
export async function completion(
  { shell }: { readonly shell: keyof typeof completionScripts },
  io: Io,
): Promise<Ending> {
  io.write(completionScripts[shell]);
  return "done";
}
