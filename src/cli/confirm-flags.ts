import { boolean } from '@oclif/core/flags';

/** The flag of what asks before it changes something that others use. */
export const confirmFlags = {
  yes: boolean({ char: 'y', summary: 'Do not ask.', env: 'SERVICE_YES' }),
};
