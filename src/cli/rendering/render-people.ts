import type {
  ChangedPerson,
  DeactivatedPerson,
  InvitedPerson,
  ListedPeople,
  PasswordLink,
} from '#flows/people/manage-people';
import type { ChangedTeam, ListedRoles, ListedTeams } from '#flows/people/manage-teams';
import type { ChangedRole, ListedFactors, ResetFactors } from '#flows/people/second-factors';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { heldInWords } from './render-sign-in.ts';

/** The members, one a row, and then who is invited. */
export function renderPeople({ people, invitations }: ListedPeople, terminal: Terminal): string {
  const members = people.map(({ email, name, level, roles, teams, isActive }) => [
    email,
    name,
    level,
    inTable(roles),
    inTable(teams),
    isActive ? 'active' : 'deactivated',
    '',
  ]);
  const invited = invitations.map(({ email, level, roles, teams, expiresAt }) => [
    email,
    '',
    level,
    roles.join(', '),
    teams.join(', '),
    'invited',
    expiresAt.slice(0, 10),
  ]);
  const header = ['E-MAIL', 'NAME', 'LEVEL', 'ROLE', 'TEAM', 'STATE', 'UNTIL'];
  return renderTable(header, [...members, ...invited], terminal);
}

/** `elevations list` says until when. */
function inTable(held: ListedPeople['people'][number]['roles']): string {
  return held.map(({ name, source }) => (source === 'elevation' ? `${name} (for a time)` : name)).join(', ');
}

/** Only the link, so that a script can take it as it is. */
export function renderLink({ link }: { readonly link: string }): string {
  return link;
}

/** What a person should know about an invitation, beside its link. */
export function noteInvitation({ email, roles, project, expiresAt }: InvitedPerson, { note, style }: Terminal): void {
  note(
    `${style.green('✔')} ${style.bold(singleLine(email))} is invited to ${project} as ${singleLine(roles.join(', '))}.`,
  );
  note(`  Send them this link. It is good once, until ${expiresAt.slice(0, 10)}, and is not shown again:`);
}

export function notePasswordLink({ email, expiresAt }: PasswordLink, { note, style }: Terminal): void {
  note(`${style.green('✔')} ${style.bold(singleLine(email))} sets a new password with this link.`);
  note(`  It is good once, until ${expiresAt.slice(0, 16).replace('T', ' ')} UTC, and is not shown again:`);
}

export function renderChangedPerson(person: ChangedPerson, { resultStyle }: Terminal): string {
  const { email, project, level, roles, teams, isActive } = person;
  const state = isActive ? '' : ', deactivated';
  return `${resultStyle.green('✔')} ${resultStyle.bold(singleLine(email))} of ${project}: ${level}, ${counted('role', roles)}, ${counted('team', teams)}${state}.`;
}

function counted(what: string, held: ChangedPerson['roles']): string {
  return `${what}${held.length === 1 ? '' : 's'} ${heldInWords(held)}`;
}

export function renderDeactivatedPerson(person: DeactivatedPerson, { resultStyle }: Terminal): string {
  const { email, project, was, isDeactivated } = person;
  if (!isDeactivated) return 'Nothing was changed.';
  const who = resultStyle.bold(singleLine(email));
  return was === 'member'
    ? `${resultStyle.green('✔')} ${who} has no access to ${project} any more.`
    : `${resultStyle.green('✔')} The invitation of ${who} to ${project} is taken back.`;
}

export function renderTeams({ teams, project }: ListedTeams, terminal: Terminal): string {
  if (teams.length === 0) return `${project} has no team yet.`;
  return renderTable(
    ['TEAM', 'PEOPLE', 'STAYS'],
    teams.map(({ name, people, isKept }) => [
      name,
      String(people),
      isKept ? 'until it is removed' : 'while it is used',
    ]),
    terminal,
  );
}

export function renderRoles({ roles, project }: ListedRoles, terminal: Terminal): string {
  if (roles.length === 0) return `${project} has no role yet.`;
  return renderTable(
    ['ROLE', 'PEOPLE', 'SECOND FACTOR'],
    roles.map(({ name, people, needsSecondFactor }) => [name, String(people), needsSecondFactor ? 'needed' : '']),
    terminal,
  );
}

export function renderChangedRole(
  { project, name, needsSecondFactor }: ChangedRole,
  { resultStyle }: Terminal,
): string {
  const role = resultStyle.bold(singleLine(name));
  return needsSecondFactor
    ? `${resultStyle.green('✔')} The role ${role} of ${project} needs a second factor. Its people give or set up one when they sign in next.`
    : `${resultStyle.green('✔')} The role ${role} of ${project} needs no second factor any more.`;
}

const factorKinds = { passkey: 'passkey', totp: 'authenticator app' } as const;

/** What somebody signs in with beside a password, one a row. */
export function renderFactors({ factors, recoveryCodes, isNeeded, page }: ListedFactors, terminal: Terminal): string {
  const add = `Add one here: ${page}`;
  if (factors.length === 0) return `You have no second factor${isNeeded ? ', and a role demands one' : ''}. ${add}`;
  const rows = factors.map(({ id, name, kind, createdAt, lastUsedAt, isUsable }) => [
    ...[String(id), name, factorKinds[kind], createdAt.slice(0, 10), lastUsedAt?.slice(0, 10) ?? ''],
    isUsable ? '' : 'of another address',
  ]);
  const table = renderTable(['ID', 'NAME', 'KIND', 'ADDED', 'LAST USED', 'STATE'], rows, terminal);
  return `${table}\n\nRecovery codes that are left: ${recoveryCodes}\n${add}`;
}

export function renderResetFactors({ email, place, isReset }: ResetFactors, { resultStyle }: Terminal): string {
  if (!isReset) return 'Nothing was changed.';
  const who = resultStyle.bold(singleLine(email));
  return `${resultStyle.green('✔')} ${who} has no second factor in ${place} any more, and is signed out everywhere.`;
}

export function renderCreatedTeam({ project, name }: ChangedTeam, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} ${project} has the team ${resultStyle.bold(singleLine(name))}. Invite people to it: vendor-cloud people invite <email> --role <role> --team <team>`;
}

export function renderRemovedTeam({ project, name }: ChangedTeam, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} The team ${resultStyle.bold(singleLine(name))} of ${project} is removed.`;
}
