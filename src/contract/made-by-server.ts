import { offers } from "./binding.ts";
import { isPlatformOwned } from "../kinds/derived/platform-owned.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Remote } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Whether the server makes and removes an object together with its parent. */
export const isMadeByServer = ({ contract }: PlanInput, kind: Kind, remote: Remote): boolean =>
  !offers(contract, kind, "create") || isPlatformOwned(kind, remote);
