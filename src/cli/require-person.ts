import { cloudError } from '#kernel/errors/cloud-error';
import type { Session } from './session.ts';

/** Refuses a sign-in in a browser where nobody would see its address: in CI and under `--json`. It may be without a terminal. */
export function requirePerson({
  terminal,
  environment,
}: {
  readonly terminal: Pick<Session['terminal'], 'isJson'>;
  readonly environment: Pick<Session['environment'], 'variables'>;
}): void {
  if (!terminal.isJson && !environment.variables['CI']) return;
  throw cloudError(
    'USAGE_INVALID',
    'Signing in needs a person who opens a page, and nobody would see its address here.',
    [
      'Keep a token instead: vendor-cloud login --token-stdin < token.txt',
      'Or set SERVICE_AUTH_TOKEN, which needs no sign-in.',
    ],
  );
}
