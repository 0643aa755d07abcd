import path from 'node:path';
import type { ExportedData } from '#flows/data/export-data';
import type { ResetData } from '#flows/data/reset-data';
import type { AddedSource } from '#flows/data-sources/add-tested-source';
import type { ListedSources } from '#flows/data-sources/described-source';
import type { TestedSource, TestedSources } from '#flows/data-sources/test-data-sources';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function renderSources({ dataSources }: ListedSources, terminal: Terminal): string {
  if (dataSources.length === 0) return 'The project has no data source. Add one: vendor-cloud data-sources add main';
  const rows = dataSources.map(({ name, engine, uri, variables, include, exclude, rename }) => [
    name,
    engine ?? '?',
    uri,
    variables.map((variable) => `${variable.name}${variable.isSet ? '' : ' (not set)'}`).join(', '),
    [
      ...(include ? [`only ${include.join(', ')}`] : []),
      ...(exclude ? [`without ${exclude.join(', ')}`] : []),
      ...(rename ? [`renamed by ${typeof rename === 'string' ? rename : Object.keys(rename).join(', ')}`] : []),
    ].join('; '),
  ]);
  const header = ['NAME', 'ENGINE', 'ADDRESS', 'VARIABLES', 'COLLECTIONS'];
  return renderTable(header, rows, terminal);
}

export function renderTested({ dataSources }: TestedSources, terminal: Terminal): string {
  return dataSources.flatMap((source) => linesOf(source, terminal)).join('\n');
}

function linesOf({ name, ms, collections, warnings, error }: TestedSource, { resultStyle: style }: Terminal): string[] {
  if (error) {
    const steps = error.nextSteps.map((step) => `  ${style.green('→')} ${step}`);
    return [`${style.red('✖')} ${style.bold(name)}: ${error.message} [${error.code}]`, ...steps];
  }
  return [
    `${style.green('✔')} ${style.bold(name)} has ${collections} collections (${ms} ms)`,
    ...warnings.map((warning) => `  ${style.yellow('!')} ${warning}`),
  ];
}

export function renderAdded(
  { dataSource, variable, settings, collections }: AddedSource,
  { resultStyle }: Terminal,
): string {
  const { name, uri } = dataSource;
  const hasSettings = Object.keys(settings).length > 0;
  return [
    `${resultStyle.green('✔')} ${resultStyle.bold(name)} is added to vendor-cloud.json as ${uri}; the project has ${collections} collections.`,
    ...(variable === null
      ? []
      : [`  Its address is in .env, as ${variable}. Set the variable wherever the project runs.`]),
    ...(hasSettings ? ['  Check softDelete and timestamps, which its columns suggest.'] : []),
  ].join('\n');
}

type Created = { readonly collections: readonly { readonly name: string; readonly created: number }[] };

/** How many records each collection has more. */
export function renderCreated({ collections }: Created, terminal: Terminal): string {
  const rows = collections.map(({ name, created }) => [String(created), name]);
  return renderTable(['CREATED', 'COLLECTION'], rows, terminal);
}

export function renderExported({ files }: ExportedData, { resultStyle }: Terminal): string {
  return files
    .map(({ path: file, records }) => `${resultStyle.green('✔')} ${path.relative('', file)} (${records} records)`)
    .join('\n');
}

export function renderReset({ project, deleted, hasSampleData }: ResetData, { resultStyle }: Terminal): string {
  const total = deleted.reduce((sum, each) => sum + each.deleted, 0);
  const after = hasSampleData ? ' The sample data are as they were.' : '';
  return `${resultStyle.green('✔')} ${project}: ${total} records of ${deleted.length} collections deleted.${after}`;
}
