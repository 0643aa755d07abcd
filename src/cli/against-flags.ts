import { option } from '@oclif/core/flags';
import { compileAgainst } from '#flows/schema/compile-against';

/** The flag for what code is compiled against. */
export const againstFlags = {
  against: option({
    summary: 'What the code is compiled against. Default: schema.json where there is one, else the databases.',
    env: 'SERVICE_AGAINST',
    options: compileAgainst,
    helpValue: '<file|database>',
  })(),
};
