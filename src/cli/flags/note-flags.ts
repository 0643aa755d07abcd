import { string } from '@oclif/core/flags';

/** The flag for what a message says. */
export const contentFlags = {
  content: string({
    summary: 'What the message says, as HTML of a few elements; read from stdin by default.',
    env: 'SERVICE_CONTENT',
    helpValue: '<html>',
  }),
};

/** The flag for the state that a change is based on. */
export const etagFlags = {
  etag: string({
    summary: 'Change it only if it is still in this state; "notes get --json" names it.',
    env: 'SERVICE_ETAG',
    helpValue: '<etag>',
  }),
};
