import type {
  ChangedPerson,
  DeactivatedPerson,
  InvitedPerson,
  ListedPeople,
  PasswordLink,
} from '#flows/people/manage-people';
import type { ChangedTeam, ListedRoles, ListedTeams } from '#flows/people/manage-teams';
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
    ['ROLE', 'PEOPLE'],
    roles.map(({ name, people }) => [name, String(people)]),
    terminal,
  );
}

export function renderCreatedTeam({ project, name }: ChangedTeam, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} ${project} has the team ${resultStyle.bold(singleLine(name))}. Invite people to it: vendor-cloud people invite <email> --role <role> --team <team>`;
}

export function renderRemovedTeam({ project, name }: ChangedTeam, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} The team ${resultStyle.bold(singleLine(name))} of ${project} is removed.`;
}
