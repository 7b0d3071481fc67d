import type { Service } from "../http/service.ts";

export function applySeed(_service: Service, _seed: unknown): number {
  return 0;
}
