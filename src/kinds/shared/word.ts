import type { Json } from "../../model/json.ts";

/** A word whose case means nothing (MariaDB), in lower case; what is no text stays as it is. */
export const normaliseWord = (value: Json): Json => (typeof value === "string" ? value.trim().toLowerCase() : value);
