import type {
  CreatedScimToken,
  ListedGroups,
  ListedScimTokens,
  RevokedScimToken,
  UnmappedGroup,
} from '#flows/people/manage-groups';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What each group gives, one a row, in the order of the mapping. */
export function renderGroups({ project, groups, keptAdministrators }: ListedGroups, terminal: Terminal): string {
  const kept = keptAdministrators.map(
    (email) => `${singleLine(email)} is in no group of administrators any more, and stays the last one.`,
  );
  if (groups.length === 0) return [`${project} maps no group yet.`, ...kept].join('\n');
  const rows = groups.map(({ group, roles, teams, makesAdministrator, people }) => [
    ...[group, roles.join(', '), teams.join(', '), makesAdministrator ? 'yes' : ''],
    String(people),
  ]);
  return [renderTable(['GROUP', 'ROLES', 'TEAMS', 'ADMINISTRATORS', 'PEOPLE'], rows, terminal), ...kept].join('\n');
}

export function renderUnmappedGroup({ project, group }: UnmappedGroup, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} The group ${resultStyle.bold(singleLine(group))} gives nothing in ${project} any more.`;
}

/** Only the token, so that a script can take it as it is. */
export function renderNewScimToken({ token }: CreatedScimToken): string {
  return token;
}

/** What a person should know about a token for SCIM, beside its secret. */
export function noteScimToken({ project, name, url }: CreatedScimToken, { note, style }: Terminal): void {
  note(`${style.green('✔')} ${style.bold(singleLine(name))} provisions people of ${project} at ${url}.`);
  note('  Enter this token at the provider. It is not shown again:');
}

export function renderScimTokens({ project, tokens }: ListedScimTokens, terminal: Terminal): string {
  if (tokens.length === 0) return `${project} has no SCIM token yet.`;
  const rows = tokens.map(({ id, name, hint, role, team, lastUsedAt, revokedAt, lastRefusal }) => [
    ...[String(id), name, `…${hint}`, role, team, revokedAt === null ? 'active' : 'revoked'],
    ...[
      lastUsedAt?.slice(0, 10) ?? 'never',
      lastRefusal === null ? '' : `${lastRefusal.at.slice(0, 10)} ${lastRefusal.reason}`,
    ],
  ]);
  return renderTable(['ID', 'NAME', 'TOKEN', 'ROLE', 'TEAM', 'STATE', 'LAST USED', 'LAST REFUSAL'], rows, terminal);
}

export function renderRevokedScimToken(
  { project, name, isRevoked }: RevokedScimToken,
  { resultStyle }: Terminal,
): string {
  if (!isRevoked) return 'Nothing was changed.';
  return `${resultStyle.green('✔')} The SCIM token ${resultStyle.bold(singleLine(name))} of ${project} is worth nothing any more.`;
}
