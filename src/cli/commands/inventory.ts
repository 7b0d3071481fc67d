import { editInventory, type InventoryOptions, type Wishes } from "../../engine/inventory.ts";
import type { Ending } from "../../engine/session/host.ts";
import { badArguments } from "../../engine/session/input-error.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { readAddress } from "../../engine/session/read-addresses.ts";

interface InventoryArguments {
  readonly why?: string | undefined;
  readonly adopt: readonly string[];
  readonly forget: readonly string[];
  readonly unlock: boolean;
}

export const inventory = (
  options: Omit<InventoryOptions, "wishes"> & InventoryArguments & PrinterOptions,
  io: Io,
): Promise<Ending> => editInventory({ ...options, wishes: readWishes(options) }, { ...io, emit: printer(io, options) });

function readWishes({ why, adopt, forget, unlock }: InventoryArguments): Wishes {
  const wishes = {
    why: why === undefined ? undefined : readAddress("--why", why),
    adopt: new Set(adopt.map((text) => readAddress("--adopt", text))),
    forget: new Set(forget.map((text) => readAddress("--forget", text))),
    unlock,
  };
  const asked = [why !== undefined, adopt.length + forget.length > 0, unlock].filter(Boolean);
  if (asked.length > 1)
    throw badArguments(
      "Several things are asked for at once",
      "give only one of --why, --unlock, and --adopt with --forget",
    );
  const both = [...wishes.adopt].find((address) => wishes.forget.has(address));
  if (both !== undefined) throw badArguments(`${both} is to be adopted and forgotten at once`, "keep one of the two");
  return wishes;
}
