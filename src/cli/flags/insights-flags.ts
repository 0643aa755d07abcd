import { integer, string } from '@oclif/core/flags';

/** The agent that is asked, where it is not that of the session or of the environment. */
export const agentUrlFlags = {
  'agent-url': string({
    summary: 'Address of the agent, in place of the one that dev or the environment has.',
    env: 'SERVICE_AGENT_URL',
    helpValue: '<url>',
  }),
};

export const slowerThanFlag = integer({
  summary: 'A query is slow when one call in twenty takes longer than this (default 100).',
  env: 'SERVICE_SLOWER_THAN',
  min: 0,
  max: 60_000,
  helpValue: '<ms>',
});
