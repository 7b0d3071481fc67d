import { editInventory, type InventoryOptions } from "../../engine/edit-inventory.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Shows or edits the inventory. */
export const inventory = (options: InventoryOptions & PrinterOptions, io: Io): Promise<Ending> =>
  editInventory(options, io, printer(io, options));
