import type { CatalogueEntry } from '../catalogue-entry.ts';
import { exitCodes } from '../exit-codes.ts';

/** Errors of the platform, hosted or sandbox, and of the way to it. */
export const platformErrors = {
  PLATFORM_UNREACHABLE: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 502,
    cause: 'The platform server did not answer.',
    fix: 'Start the local one with `vendor-cloud dev`, or check the address and the network.',
  },
  PLATFORM_TIMEOUT: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.timeout,
    status: 504,
    cause: 'The platform server did not answer in time.',
    fix: 'Try again; check the network and the load of the server.',
  },
  PLATFORM_ADDRESS_INVALID: {
    kind: 'user',
    recover: 'change-env',
    exitCode: exitCodes.failed,
    status: 400,
    cause:
      'The address of the platform server is not a URL, or it would send secrets over plain http to another machine.',
    fix: 'Set `SERVICE_SERVER_URL`, or `serverUrl` in `vendor-cloud.json`, to an https address.',
  },
  PLATFORM_UNAUTHENTICATED: {
    kind: 'platform',
    recover: 'login',
    exitCode: exitCodes.authentication,
    status: 401,
    cause: 'The platform does not accept the token or the environment secret.',
    fix: 'Log in again, or correct `SERVICE_AUTH_TOKEN` or `SERVICE_ENV_SECRET`.',
  },
  PLATFORM_REFUSED: {
    kind: 'platform',
    recover: 'edit-files',
    exitCode: exitCodes.platform,
    status: 502,
    cause: 'The platform understood the request and refused it.',
    fix: 'See the message: it carries the reason the platform gave.',
  },
  PLATFORM_FAILED: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.platform,
    status: 502,
    cause: 'The platform answered with an error of its own, or with something that is not its protocol.',
    fix: 'Try again; if it stays, tell whoever runs the platform.',
  },
  CREDENTIALS_MISSING: {
    kind: 'user',
    recover: 'login',
    exitCode: exitCodes.authentication,
    status: 401,
    cause: 'A command needs a token or an environment secret and none was found.',
    fix: 'Set `SERVICE_AUTH_TOKEN` or `SERVICE_ENV_SECRET`, or keep `vendor-cloud dev` running for the project.',
  },
  BUNDLE_TOO_LARGE: {
    kind: 'user',
    recover: 'edit-files',
    exitCode: exitCodes.failed,
    status: 413,
    cause: 'The built code is larger than the platform accepts.',
    fix: 'Remove large dependencies or data files from the bundle.',
  },
  BUNDLE_DIGEST_MISMATCH: {
    kind: 'platform',
    recover: 'retry',
    exitCode: exitCodes.conflict,
    status: 400,
    cause: 'The bytes that arrived are not the ones that were announced.',
    fix: 'Push again.',
  },
  SANDBOX_STORE_UNAVAILABLE: {
    kind: 'environment',
    recover: 'change-env',
    exitCode: exitCodes.machine,
    status: 500,
    cause: 'The store of the local platform cannot be opened.',
    fix: 'Make the folder the message names writable, or remove a damaged store.',
  },
} as const satisfies Record<string, CatalogueEntry>;
