import { invalid, type FieldErrors } from "../refusal.ts";
import { answerData, type AdminEndpoint } from "./switch.ts";

const maximum = 1000;

/** `GET ?after=SEQ&limit=N`: logged operations after a sequence number (default 0), at most `limit` (default and maximum 1000). */
export const operationsSwitch: AdminEndpoint = {
  method: "GET",
  run({ store, log }, _, query) {
    const errors: FieldErrors = {};
    const read = (name: string, fallback: number): number => {
      const text = query.get(name) ?? String(fallback);
      if (!/^\d{1,15}$/.test(text)) errors[name] = [`must be a whole number; it was "${text}"`];
      return Number(text);
    };
    const [after, limit] = [read("after", 0), read("limit", maximum)];
    if (Object.keys(errors).length > 0) throw invalid(errors);
    log.flush();
    const operations = store.operations.after(after, Math.min(limit, maximum));
    return answerData(200, operations, `${operations.length} operations.`);
  },
};
