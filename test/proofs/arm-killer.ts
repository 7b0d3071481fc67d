import type { Answered, Interfere } from "../support/front.ts";
import type { KillPoint } from "./choose-points.ts";

/** Returns the answer of a service that refuses a request; undefined if the service of the test takes it. */
export type Refuse = (method: string, body: string) => Answered | undefined;

const takeAll: Refuse = () => undefined;

/** Passes requests on to the service, up to the one at which it kills the client. From then on nothing more gets through. */
export function armKiller(point: KillPoint | undefined, refuse: Refuse = takeAll) {
  const methods: string[] = [];
  const underWay: Promise<unknown>[] = [];
  let kill: (signal: NodeJS.Signals) => void = () => undefined;
  let dead = false;
  const interfere: Interfere = async (request, response, pass, body) => {
    if (dead) return true;
    const isThere = methods.push(request.method ?? "") === point?.request;
    if (isThere && point.when === "before") {
      dead = true;
      kill("SIGKILL");
      return true;
    }
    const refused = refuse(request.method ?? "", body);
    const passed = refused ? Promise.resolve(refused) : pass();
    underWay.push(passed);
    const { status, headers, text } = await passed;
    if (isThere) {
      dead = true;
      kill("SIGKILL");
    } else response.writeHead(status, headers).end(text);
    return true;
  };
  return {
    methods,
    interfere,
    onStart: (signal: typeof kill) => {
      kill = signal;
    },
    quiet: () => Promise.allSettled(underWay),
  };
}
