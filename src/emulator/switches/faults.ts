import { namePlace } from "../faults/name-place.ts";
import { readRules } from "../faults/read-rules.ts";
import { invalid } from "../refusal.ts";
import { answerData, type AdminEndpoint } from "./switch.ts";

const within = (place: string): string => (place === "" ? "faults" : namePlace(place));

/** `GET`: the rules, each with how often it `matched` and `fired`. */
const listFaults: AdminEndpoint = {
  method: "GET",
  run({ faults }) {
    const rules = faults.list();
    return answerData(200, rules, rules.length === 1 ? "1 rule." : `${rules.length} rules.`);
  },
};

/** `POST {faults: [RULE, …]}` (schemas/faults.schema.json): adds rules, all or none. */
const addFaults: AdminEndpoint = {
  method: "POST",
  run({ faults, router, exit }, { faults: list }) {
    const read = readRules(list, { operations: router.operations, canExit: exit !== undefined });
    if ("errors" in read) {
      throw invalid(Object.fromEntries(Object.entries(read.errors).map(([place, texts]) => [within(place), texts])));
    }
    faults.add(read.rules);
    return answerData(201, { added: read.rules.length }, "The faults were added.");
  },
};

/** `DELETE`: drops all rules, and shows the present to reads again. */
const clearFaults: AdminEndpoint = {
  method: "DELETE",
  run({ faults, lag }) {
    const cleared = faults.list().length;
    faults.clear();
    lag.clear();
    return answerData(200, { cleared }, "The faults were cleared.");
  },
};

export const faultsSwitches: readonly AdminEndpoint[] = [listFaults, addFaults, clearFaults];
