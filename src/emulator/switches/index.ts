import { answerError } from "../http/answer-error.ts";
import { authenticate } from "../http/authorize.ts";
import type { Answer } from "../http/answer.ts";
import type { RequestContext } from "../http/request-context.ts";
import type { Service } from "../http/service.ts";
import { parseBody, readRequestBody } from "../http/read-body.ts";
import { forbidden, notFound, HttpError } from "../refusal.ts";
import { isMaster } from "../store/keys.ts";
import { addKeySwitch } from "./add-key.ts";
import { faultsSwitches } from "./faults.ts";
import { operationsSwitch } from "./operations.ts";
import { seedSwitch } from "./seed.ts";
import { spellingSwitch } from "./spelling.ts";
import type { AdminEndpoint } from "./switch.ts";
import { transitionSwitch } from "./transition.ts";

/** Below it stand the switches. */
export const switchRoot = "/_emulator/";

/** Bytes: a seed may hold a whole account. */
const bodyLimit = 256 * 1024 * 1024;

const switches: ReadonlyMap<string, readonly AdminEndpoint[]> = new Map([
  ["faults", faultsSwitches],
  ["keys", [addKeySwitch]],
  ["operations", [operationsSwitch]],
  ["seed", [seedSwitch]],
  ["spelling", [spellingSwitch]],
  ["transitions", [transitionSwitch]],
]);

/** The service's own switches, outside the versioned paths. They are not logged as operations. */
export const isSwitch = (path: string): boolean => path.startsWith(switchRoot);

/** Answers a switch: `health` to anyone, the others to a key with all permissions. */
export async function handleAdminRequest(service: Service, arrival: RequestContext): Promise<Answer> {
  try {
    const name = arrival.path.slice(switchRoot.length);
    if (name === "health" && arrival.method === "GET")
      return { status: 200, headers: {}, body: '{"data":{"status":"ok"},"message":"Ready."}' };
    if (!isMaster(authenticate(service, arrival))) throw forbidden("The switches need a key with all permissions.");
    const found = switches.get(name);
    if (found === undefined)
      throw notFound(`switch ${name}; there are ${["health", ...switches.keys()].sort().join(", ")}`);
    const { run } = withMethod(found, arrival);
    const { request, method } = arrival;
    const bytes = method === "POST" || method === "PUT" ? await readRequestBody(request, bodyLimit) : undefined;
    const body = bytes === undefined ? {} : parseBody(bytes, request.headers["content-type"], true);
    return run(service, body, new URLSearchParams(arrival.url.split("?")[1]));
  } catch (error) {
    return answerError(error, arrival.id);
  }
}

function withMethod(found: readonly AdminEndpoint[], { method, path }: RequestContext): AdminEndpoint {
  const wanted = found.find((one) => one.method === method);
  if (wanted !== undefined) return wanted;
  const allow = found.map((one) => one.method).join(", ");
  throw new HttpError(405, "method_not_allowed", `${path} offers ${allow}.`, { headers: { Allow: allow } });
}
