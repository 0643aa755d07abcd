/** The exit codes of the process. They are printed in the help, and the same for every command. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  authentication: 3,
  platform: 4,
  conflict: 5,
  timeout: 6,
  machine: 7,
  bug: 70,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
