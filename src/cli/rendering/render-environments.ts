import type { ExplainedSetting } from '#flows/doctor/explain-config';
import type { EnvironmentList } from '#flows/environments/choose-environment';
import type { LinkedProject } from '#flows/environments/link-project';
import type { ChangedVariables, ListedVariable, ListedVariables } from '#flows/environments/manage-variables';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

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

export function renderVariables(result: ListedVariables, terminal: Terminal): string {
  const { environment, revision, live, variables } = result;
  if (variables.length === 0)
    return `${environment} has no variables. Set one: vendor-cloud variables set <name> --env ${environment}`;
  const rows = variables.map((variable) => [variable.name, usersOf(variable, live)]);
  const table = renderTable(['NAME', 'USED BY'], rows, terminal);
  const isNewer = live !== null && live.revision !== revision;
  const note = `Revision ${revision} is newer than that of what is live (${live?.revision}): values may differ. Deploy it: vendor-cloud push --env ${environment}`;
  return [table, ...(isNewer ? ['', note] : [])].join('\n');
}

export function renderChangedVariables(result: ChangedVariables, { resultStyle: style }: Terminal): string {
  const { environment, revision, set, unset, isChanged } = result;
  if (set.length + unset.length === 0) return 'Nothing was changed.';
  if (!isChanged) return `${style.green('✔')} ${environment} has these variables already (revision ${revision}).`;
  return [
    ...set.map((name) => style.green(`+ ${name}`)),
    ...unset.map((name) => style.red(`- ${name}`)),
    `${style.green('✔')} Set in ${environment} (revision ${revision}). The next deployment takes them: vendor-cloud push --env ${environment}`,
  ].join('\n');
}

function usersOf({ isLive, isNext }: ListedVariable, live: ListedVariables['live']): string {
  const now = live ? `deployment ${live.deployment} (live)` : '';
  if (isLive && isNext) return `${now}, and the next one`;
  return isLive ? `${now}; removed for the next one` : 'the next deployment';
}

/** The settings that something says a value of; `--json` has the others too. */
export function renderSettings(settings: readonly ExplainedSetting[], terminal: Terminal): string {
  const rows = settings
    .filter(({ source }) => source !== null)
    .map(({ name, value, source, overruled }) => [
      name,
      overruled.length === 0 ? (source ?? '') : `${source}, not ${overruled.join(', ')}`,
      value ?? '',
    ]);
  return renderTable(['SETTING', 'FROM', 'VALUE'], rows, terminal);
}
