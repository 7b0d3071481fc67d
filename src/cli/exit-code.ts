/** What an exit status means (DESIGN.md section 4). */
export const exitCode = {
  done: 0,
  unexpected: 1,
  changes: 2,
  wrongInput: 3,
  apiUnavailable: 4,
  failedInPart: 5,
  refused: 6,
  notConverged: 7,
  pendingElsewhere: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
