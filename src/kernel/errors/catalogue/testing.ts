import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

/** Errors of the testing package. */
export const testingErrors = {
  TEST_SCHEMA_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'The schema file given to `createAgentTestClient` does not exist, or is not the schema of an agent.',
    fix: 'Start the agent once so that it writes its schema file, and pass the path of that file.',
  },
  TEST_AGENT_UNREACHABLE: {
    kind: 'environment',
    recover: 'retry',
    exitCode: exitCodes.failed,
    status: 502,
    cause: 'The agent under test did not answer.',
    fix: 'Start the agent before the test, and pass the address it listens on.',
  },
  TEST_AGENT_REFUSED: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.failed,
    status: 502,
    cause: 'The agent under test answered a request with an error.',
    fix: 'See `details.status` and `details.body` of the error for what the agent said.',
  },
} as const satisfies Record<string, CatalogueEntry>;
