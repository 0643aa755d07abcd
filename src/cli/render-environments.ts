import type { EnvironmentList } from '#flows/environments/environments';
import type { LinkedProject } from '#flows/environments/link-project';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

export function renderEnvironments({ environments, current, project }: EnvironmentList, terminal: Terminal): string {
  const rows = environments.map(({ name, type, agentAddresses }) => [
    name === current ? '*' : '',
    name,
    type,
    agentAddresses.join(', '),
  ]);
  const table = renderTable(['', 'ENVIRONMENT', 'TYPE', 'ADDRESSES'], rows, terminal);
  return [table, '', `Commands of ${project} are about ${current}, marked with *.`].join('\n');
}

export function renderUsedEnvironment({ current, project }: EnvironmentList, { resultStyle }: Terminal): string {
  return `${resultStyle.green('✔')} Commands of ${project} are about ${resultStyle.bold(current)} from now on, in this folder.`;
}

export function renderLink(
  { name, root, serverUrl, environment, isLinked }: LinkedProject,
  { resultStyle }: Terminal,
): string {
  return [
    `${resultStyle.bold(name)} in ${root}`,
    `  Platform     ${serverUrl}`,
    `  Environment  ${environment ?? 'that of the token'}`,
    `  ${isLinked ? 'This folder is linked.' : 'This folder has no link: a variable, the configuration or the default says so.'}`,
  ].join('\n');
}
