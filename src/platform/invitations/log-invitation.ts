import type { AdminValues } from '#contracts/audit/admin-values';
import type { LogChange } from '../audit/admin-log.ts';

interface LoggedInvitation {
  readonly email: string;
  readonly permissionLevel: string;
  readonly roleName: string;
  readonly team: string | null;
  readonly expiresAt: number;
}

/** Log what became of an invitation. Nothing is said of its link. */
export function logInvitation(log: LogChange, event: 'made' | 'accepted' | 'revoked', record: LoggedInvitation): void {
  const resource = 'invitation';
  const open = invitationValue(record, 'open');
  if (event === 'made') log({ type: 'add', resource, newValue: open });
  if (event === 'revoked') log({ type: 'remove', resource, previousValue: open });
  if (event === 'accepted') {
    log({ type: 'update', resource, previousValue: open, newValue: invitationValue(record, 'accepted') });
  }
}

function invitationValue(record: LoggedInvitation, state: 'open' | 'accepted'): AdminValues['invitation'] {
  const { email, permissionLevel, roleName, team, expiresAt } = record;
  return { email, permissionLevel, role: roleName, team, state, expiresAt: new Date(expiresAt).toISOString() };
}
