import { answerError, answerJson, type Answer } from "../http/answer.ts";
import { authenticate } from "../http/authorize.ts";
import { parseBody, readRequestBody } from "../http/read-body.ts";
import type { RequestContext, Service } from "../http/service.ts";
import { forbidden, notFound, HttpError } from "../refusal.ts";
import { isMaster } from "../store/keys.ts";
import { switches } from "./switches.ts";

/** Below it stand the switches. */
export const switchRoot = "/_emulator/";

/** Bytes: a seed may hold a whole account. */
const bodyLimit = 256 * 1024 * 1024;

/** The service's own switches, outside the versioned paths. They are not logged as operations. */
export const isSwitch = (path: string): boolean => path.startsWith(switchRoot);

/** Answers a switch: `health` to anyone, the others to a key with all permissions. */
export async function handleAdminRequest(service: Service, arrival: RequestContext): Promise<Answer> {
  try {
    const { request, method, path, url } = arrival;
    const name = path.slice(switchRoot.length);
    if (name === "health" && method === "GET") return answerJson(200, { data: { status: "ok" }, message: "Ready." });
    if (!isMaster(authenticate(service, arrival))) throw forbidden("The switches need a key with all permissions.");
    const offered = switches.get(name);
    if (offered === undefined)
      throw notFound(`switch ${name}; there are ${["health", ...switches.keys()].sort().join(", ")}`);
    const run = offered[method];
    if (run === undefined) {
      const allow = Object.keys(offered).join(", ");
      throw new HttpError(405, "method_not_allowed", `${path} offers ${allow}.`, { headers: { Allow: allow } });
    }
    const bytes = method === "POST" || method === "PUT" ? await readRequestBody(request, bodyLimit) : undefined;
    const body = bytes === undefined ? {} : parseBody(bytes, request.headers["content-type"], true);
    return run(service, body, new URLSearchParams(url.split("?")[1]));
  } catch (error) {
    return answerError(error, arrival.id);
  }
}
