import { knownSecrets } from "../engine/secrets/known-secrets.ts";
import { withoutEmpty } from "../engine/session/node-host.ts";
import { breakLogCommands } from "../lib/escape.ts";
import { renderEvent } from "../render/mask-event.ts";
import type { Io, OuterIo } from "./io.ts";
import { statusLine } from "./status-line.ts";

/** Returns the world outside with every secret masked in all that is printed. */
export function maskingIo(outer: OuterIo): Io {
  const secrets = knownSecrets();
  const { mask } = secrets;
  let hasBegun = false;
  const status = statusLine(outer.writeError, outer.columnsToErase ?? (() => undefined));
  const writeWith = (write: (text: string) => void, text: string) => {
    status.erase();
    write(breakLogCommands(text));
  };
  return {
    ...outer,
    showStatus: status.show,
    env: withoutEmpty(outer.env),
    write: (text) => writeWith(outer.write, mask(text)),
    writeError: (text) => writeWith(outer.writeError, mask(text)),
    writeCommand: (text) => {
      status.erase();
      outer.writeError(text);
    },
    writeEvent: (event) => {
      // A mistake that shows late brings its own beginning.
      if (event.type === "version" && hasBegun) return;
      hasBegun = true;
      writeWith(outer.write, renderEvent(event, mask));
    },
    ask: async (question, stop) => {
      status.erase();
      return outer.ask(question, stop);
    },
    ...secrets,
  };
}
