import { showSavedPlan, type ShowOptions } from "../../engine/show.ts";
import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";
import { printForms, type FormOptions } from "../write-forms.ts";

/** Shows a saved plan, without the API. */
export const show = (options: ShowOptions & FormOptions, io: Io): Promise<Ending> =>
  printForms("plan", options, io, (emit) => showSavedPlan(options, emit));
