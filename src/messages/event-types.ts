import { noticeTypes, type Notice } from "./notices.ts";

/** The types of the other events of `--json`. */
const otherTypes = [
  "version",
  "diagnostic",
  "manifest_found",
  "target",
  "planned",
  "refused",
  "incomplete",
  "left_out",
  "unmanaged",
  "unmanaged_resource",
  "ignored_spelling",
  "plan",
  "step_start",
  "step_running",
  "step_end",
  "put_back",
  "after_request",
  "report",
  "api_unavailable",
  "rehearsal",
  "why",
  "drifted",
  "drift",
  "mismatch",
  "not_compared",
  "verification",
  "status",
  "doctor_entry",
  "doctor",
  "contract_checked",
  "contract",
  "rendered",
  "zone_file",
  "ready",
  "run_started",
  "account_ended",
  "wave_started",
  "wave_ended",
  "run_waiting",
  "database_lost",
  "run_stopped",
  "run_ended",
  "workers_missing",
  "api_paused",
  "job_returned",
  "open_run",
  "account_status",
  "fleet_status",
] as const;

/** The type of an event of `--json`. */
export type EventType = Notice["type"] | (typeof otherTypes)[number];

/** Every type of an event of `--json`: `schemas/events.schema.json` describes each. */
export const eventTypes: readonly EventType[] = [...noticeTypes, ...otherTypes];
