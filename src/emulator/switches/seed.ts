import { answerData, type AdminEndpoint } from "./switch.ts";
import { applySeed } from "../seed/apply-seed.ts";

/** `POST` of a seed: adds all its objects in one transaction. */
export const seedSwitch: AdminEndpoint = {
  method: "POST",
  run: (service, body) => answerData(201, { added: applySeed(service, body) }, "The seed was applied."),
};
