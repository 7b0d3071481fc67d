import { invalid } from "../refusal.ts";
import { readSpelling } from "../spelling/words.ts";
import { answerData, type AdminEndpoint } from "./switch.ts";

/** `PUT {spelling: LIST}`: from now on answers have this formatting; an empty list: as they are stored. */
export const spellingSwitch: AdminEndpoint = {
  method: "PUT",
  run(service, { spelling }) {
    const read = readSpelling(String(spelling));
    if ("problem" in read) throw invalid({ spelling: [`${read.problem}; ${read.hint}`] });
    service.spelling = read.spelling;
    return answerData(200, { spelling: [...read.spelling] }, "The spelling was changed.");
  },
};
