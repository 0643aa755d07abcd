import type { Session } from '#contracts/sessions';
import { commandLineClientId } from '#contracts/sign-in';
import { agentClientId } from '../provider/clients.ts';

interface Environment {
  readonly id: number;
  readonly name: string;
}

/**
 * What somebody is signed in with, of what the sign-in of the platform has kept. `undefined` for what is no session, or one with an
 * agent of other environments.
 */
export function signInPurpose(
  { kind, clientId }: { readonly kind: string; readonly clientId: string | null },
  environments: readonly Environment[],
): Pick<Session, 'kind' | 'purpose'> | undefined {
  if (kind === 'Session') return { kind: 'browser', purpose: 'the platform' };
  if (kind !== 'Grant') return undefined;
  if (clientId === commandLineClientId) return { kind: 'command line', purpose: 'vendor-cloud login' };
  const environment = environments.find(({ id }) => agentClientId(id) === clientId);
  return environment && { kind: 'agent', purpose: environment.name };
}
