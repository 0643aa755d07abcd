import { boolean } from '@oclif/core/flags';

/** The flag of what asks before it changes something that others use. */
export const confirmFlags = {
  yes: boolean({ char: 'y', summary: 'Do not ask.', env: 'SERVICE_YES' }),
};

/** The flag of what changes the rights of people. */
export const lockoutFlags = {
  'allow-lockout': boolean({
    summary: 'Go on although no administrator may browse any more.',
    env: 'SERVICE_ALLOW_LOCKOUT',
  }),
};
