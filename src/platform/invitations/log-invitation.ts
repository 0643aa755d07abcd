import type { AdminValues } from '#contracts/audit/admin-values';
import type { LogChange } from '../audit/admin-log.ts';

interface LoggedInvitation {
  readonly email: string;
  readonly permissionLevel: string;
  readonly roleName: string;
  readonly team: string | null;
  readonly expiresAt: number;
  readonly further: readonly { readonly kind: 'role' | 'team'; readonly name: string }[];
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
  const { email, permissionLevel, roleName, team, expiresAt, further } = record;
  const names = (kind: 'role' | 'team') => further.filter((each) => each.kind === kind).map(({ name }) => name);
  const [roles, teams] = [names('role'), names('team')];
  return {
    ...{ email, permissionLevel, role: roleName, team, state, expiresAt: new Date(expiresAt).toISOString() },
    ...(roles.length === 0 ? {} : { roles: [roleName, ...roles] }),
    ...(teams.length === 0 ? {} : { teams: [...(team === null ? [] : [team]), ...teams] }),
  };
}
