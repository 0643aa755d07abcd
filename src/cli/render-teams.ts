import type { ChangedTeam, ListedRoles, ListedTeams } from '#flows/people/teams-and-roles';
import { renderTable, singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

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
