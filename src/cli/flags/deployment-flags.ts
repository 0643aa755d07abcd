import { integer, option } from '@oclif/core/flags';
import { compileAgainst } from '#flows/schema/compile-against';
import { confirmFlags } from './confirm-flags.ts';

/** The flag for what code is compiled against. */
export const againstFlags = {
  against: option({
    summary: 'What the code is compiled against. Default: schema.json where there is one, else the databases.',
    env: 'SERVICE_AGAINST',
    options: compileAgainst,
    helpValue: '<file|database>',
  })(),
};

/** The flag for how long a deployment is waited for. */
export const timeoutFlags = {
  timeout: integer({
    summary: 'Seconds to wait for the end of the deployment (exit code 6 then).',
    env: 'SERVICE_TIMEOUT',
    default: 600,
    min: 1,
    helpValue: '<seconds>',
  }),
};

/** The flags of what swaps the code of an environment. */
export const swapFlags = {
  ...timeoutFlags,
  ...confirmFlags,
};
