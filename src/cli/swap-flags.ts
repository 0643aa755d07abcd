import { integer } from '@oclif/core/flags';
import { confirmFlags } from './confirm-flags.ts';

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
