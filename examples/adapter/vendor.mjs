// Shared by the adapters for two vendors, beside the server: requests and answers of JSON, one after the other. See README.md.
import { answerWith, callVendor, refuse } from "./server.mjs";

/** Throws a refusal of the adapter itself. */
export function fail(status, code, message) {
  throw Object.assign(new Error(message), { answer: refuse(status, code, message) });
}

/** Returns a function that sends JSON to the vendor, and returns the value that it answers. It throws a refusal of the vendor as it is. */
export const asker = (own) => async (method, path, value) => {
  const headers = { accept: "application/json", "content-type": "application/json" };
  const answer = await callVendor(
    { method, path, headers, body: value === undefined ? "" : JSON.stringify(value) },
    own,
  );
  if (answer.status > 299) throw Object.assign(new Error(`the vendor answered ${answer.status}`), { answer });
  return answer.body.length > 0 ? JSON.parse(answer.body) : undefined;
};

/** Returns a function that runs one piece of work after the other. */
export function makeQueue() {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work, work);
    return last;
  };
}

/** Returns an answer with a list, and its length. */
export const asList = (data) => answerWith(200, { data, total: data.length });
