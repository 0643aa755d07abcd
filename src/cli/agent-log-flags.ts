import { option, string } from '@oclif/core/flags';

/** The flags for the log of an agent. */
export const agentLogFlags = {
  level: option({
    summary: "Show the agent's log from this level on; info has a line for each request.",
    options: ['debug', 'info', 'warn', 'error'] as const,
    env: 'SERVICE_LEVEL',
  })(),
  grep: string({
    summary: 'Only lines of the log that contain this text, without regard to case.',
    env: 'SERVICE_GREP',
    helpValue: '<text>',
  }),
};
