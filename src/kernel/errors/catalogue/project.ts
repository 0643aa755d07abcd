import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

/** Errors of the user's project folder: its configuration, its environment file and its build. */
export const projectErrors = {
  PROJECT_NOT_FOUND: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'Neither this folder nor one above it holds a `vendor-cloud.json`.',
    fix: 'Change into the project, name it with `--project`, or create one with `vendor-cloud bootstrap`.',
  },
  PROJECT_CONFIG_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: '`vendor-cloud.json` is not JSON, or a value in it is missing or of the wrong kind.',
    fix: 'Correct the place the message points at; the format is in `docs/project-format.md`.',
  },
  PERMISSION_FILE_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 422,
    wireName: 'ValidationError',
    cause:
      'The rights are no JSON, do not have the right format, or name an unknown role, collection, field or action.',
    fix: 'Correct the place the message points at; the format is in `docs/permissions.md`.',
  },
  PROJECT_ENTRY_MISSING: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'The file with the customizations (`src/index.ts` unless configured) does not exist.',
    fix: 'Create it, or set `entry` in `vendor-cloud.json`.',
  },
  PROJECT_ENV_FILE_INVALID: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'A line of `.env` is not of the form `NAME=value`.',
    fix: 'Correct the line the message names.',
  },
  PROJECT_VARIABLE_MISSING: {
    kind: 'user',
    recover: 'change-env',
    exitCode: exitCodes.failed,
    status: 400,
    cause: '`vendor-cloud.json` refers to an environment variable that is not set.',
    fix: 'Set it in the environment or in the `.env` file of the project.',
  },
  PROJECT_EXISTS: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.conflict,
    status: 409,
    cause: 'The folder a project should be created in exists already and is not empty.',
    fix: 'Choose another folder, or remove this one.',
  },
  PROJECT_IN_USE: {
    kind: 'user',
    recover: 'none',
    exitCode: exitCodes.conflict,
    status: 409,
    cause: 'Another `vendor-cloud dev` serves this project.',
    fix: 'Stop the process the message names, or use its servers.',
  },
  BUILD_FAILED: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'The customization code does not compile.',
    fix: 'Correct the place in the code frame.',
  },
  BUILD_TOP_LEVEL_AWAIT: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 400,
    cause: 'The customization code awaits at the top level of a module, which a hot-swapped bundle cannot do.',
    fix: 'Move the `await` into the exported function, which may be async.',
  },
} as const satisfies Record<string, CatalogueEntry>;
