import { breakLogCommands } from "../render/escape.ts";
import { renderEvent } from "../render/events.ts";
import type { Io, OuterIo } from "./io.ts";
import { withoutEmpty } from "../engine/node-host.ts";
import { knownSecrets } from "../engine/secrets/known-secrets.ts";

/** Returns the world outside with every secret masked in all that is printed. */
export function maskingIo(outer: OuterIo): Io {
  const secrets = knownSecrets();
  const { mask } = secrets;
  return {
    ...outer,
    env: withoutEmpty(outer.env),
    write: (text) => outer.write(breakLogCommands(mask(text))),
    writeError: (text) => outer.writeError(breakLogCommands(mask(text))),
    writeEvent: (event) => outer.write(breakLogCommands(renderEvent(event, mask))),
    ...secrets,
  };
}
