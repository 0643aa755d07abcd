import type { CatalogueEntry } from './catalogue-entry.ts';
import { exitCodes } from './exit-codes.ts';

const testError = { kind: 'user', recover: 'edit-files', exitCode: exitCodes.failed, status: 400 } as const;

/** Errors of the testing package. */
export const testingErrors = {
  TEST_SCHEMA_INVALID: {
    ...testError,
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
  TEST_ANSWER_UNEXPECTED: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.failed,
    status: 502,
    cause:
      'The agent under test answered with something that the test client did not ask for, such as a chart of another type.',
    fix: 'Ask with the method that fits what the agent answers; see `details.body` of the error.',
  },
  TEST_NAME_UNKNOWN: {
    ...testError,
    cause: 'A test names a collection, relation, segment, action, form field, option or user that does not exist.',
    fix: 'Correct the name in the test. The message has the nearest one.',
  },
  TEST_FORM_MISUSED: {
    ...testError,
    cause: 'A test treats a field or a layout element of a form as something that it is not.',
    fix: 'Ask for the field with the method that fits its type, and for elements that the form has.',
  },
  TEST_OPTION_INVALID: {
    ...testError,
    cause:
      'A function of the testing package was called with an option that it does not take, or with an unusable value.',
    fix: 'Correct the option that the message names.',
  },
} as const satisfies Record<string, CatalogueEntry>;
