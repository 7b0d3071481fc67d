import { offers } from "./binding.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Remote } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Whether the server makes and removes an object together with its parent. */
export const isMadeByServer = ({ contract }: PlanInput, kind: Kind, { fields }: Remote): boolean =>
  !offers(contract, kind, "create") || kind.platformOwned?.(fields) === true;
