import path from 'node:path';
import { type SchemaChange, schemaChangeInWords } from '#contracts/compare-outlines';
import type { VersionChange } from '#contracts/versions';
import type { BootstrapResult } from '#flows/bootstrap/bootstrap';
import { runCommand } from '#flows/packages/package-manager';
import type { SchemaResult } from '#flows/schema/schema';
import type { TypingsComparison, UpdateTypingsResult } from '#flows/schema/update-typings';
import type { Upgrade } from '#flows/upgrade/upgrade';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function renderBootstrap(result: BootstrapResult, { resultStyle }: Terminal): string {
  const folder = path.relative('', result.path) || '.';
  return [
    `${resultStyle.green('✔')} Created ${resultStyle.bold(result.name)} in ${folder} (${result.collections} collections).`,
    ...renderSource(result),
    ...Object.entries(result.settings).flatMap(([name, settings]) => renderSettings(name, settings)),
    '',
    '  Next:',
    ...nextCommands(folder, result).map((command) => `    ${command}`),
  ].join('\n');
}

function renderSource({ packageFrom }: BootstrapResult): string[] {
  if (packageFrom === null) return [];
  return ['', `  It takes @vendor/cloud from ${packageFrom}, where this command came from.`];
}

function nextCommands(folder: string, { isInstalled, packageManager }: BootstrapResult): string[] {
  return [
    ...(folder === '.' ? [] : [`cd ${/[^\w./-]/.test(folder) ? `"${folder}"` : folder}`]),
    ...(isInstalled ? [] : [`${packageManager} install`]),
    runCommand(packageManager, 'vendor-cloud dev'),
  ];
}

const mostTables = 10;

/** The settings that bootstrap wrote because of column names, for the user to check. */
function renderSettings(
  name: string,
  { softDelete, timestamps, instants }: BootstrapResult['settings'][string],
): string[] {
  const marks = Object.entries(softDelete || {}).map(([table, column]) => `${table} (${column})`);
  const times = Object.entries(timestamps || {}).map(
    ([table, columns]) => `${table} (${Object.values(columns).join(', ')})`,
  );
  const forms = Object.entries(instants ?? {}).flatMap(([table, columns]) =>
    Object.entries(columns).map(([column, form]) => `${table}.${column} (${form})`),
  );
  const line = (setting: string, tables: readonly string[]) => {
    if (tables.length === 0) return [];
    const more = tables.length > mostTables ? ` and ${tables.length - mostTables} more` : '';
    return [`    ${setting.padEnd(10)}  ${tables.slice(0, mostTables).join(', ')}${more}`];
  };
  return [
    '',
    `  Check what vendor-cloud.json says of the columns of ${name}:`,
    ...line('softDelete', marks),
    ...line('timestamps', times),
    ...line('instants', forms),
  ];
}

export function renderUpdateTypings(result: UpdateTypingsResult, { resultStyle }: Terminal): string {
  const file = path.relative('', result.path);
  return `${resultStyle.green('✔')} ${file} ${result.hasChanged ? 'written' : 'is up to date'} (${result.collections} collections).`;
}

/** Changes that are shown; the JSON has all of them. */
const maxShown = 50;

export function renderSchema({ path: file, tables, changes }: SchemaResult, { resultStyle: style }: Terminal): string {
  const name = path.relative('', file);
  return [...changeLines(changes, style), `${style.green('✔')} ${name} has ${tables} tables.`].join('\n');
}

export function renderSchemaComparison(result: SchemaResult, terminal: Terminal): string {
  return comparison(result, 'the databases', 'vendor-cloud schema', terminal);
}

export function renderTypingsComparison(result: TypingsComparison, terminal: Terminal): string {
  const { role } = result;
  const [source, option] =
    role === undefined ? ['', ''] : [', and permissions.json,', ` --role ${JSON.stringify(role)}`];
  return comparison(result, `the databases and the code${source}`, `vendor-cloud update-typings${option}`, terminal);
}

function comparison(
  { path: file, isCurrent, changes }: TypingsComparison,
  source: string,
  command: string,
  { resultStyle: style }: Terminal,
): string {
  const name = path.relative('', file);
  if (isCurrent) return `${style.green('✔')} ${name} is what ${source} say.`;
  const told = changes.length > 0 ? changeLines(changes, style) : ['No program notices what differs.'];
  return [...told, `${style.red('✖')} ${name} is not what ${source} say. Write it again: ${command}`].join('\n');
}

function changeLines(changes: readonly SchemaChange[], style: Terminal['style']): readonly string[] {
  const more = changes.length - maxShown;
  return [
    ...changes.slice(0, maxShown).map((change) => renderSchemaChange(change, style)),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ];
}

/** One line a change; what may break others is marked. */
export function renderSchemaChange(change: SchemaChange, style: Terminal['style']): string {
  return renderChange({ ...change, words: schemaChangeInWords(change) }, style);
}

/** The same of a difference that is in words already. */
export function renderChange({ change, words, isBreaking }: VersionChange, style: Terminal['style']): string {
  const told = singleLine(words);
  const line = { added: style.green(`+ ${told}`), removed: style.red(`- ${told}`), changed: style.cyan(`~ ${told}`) }[
    change
  ];
  return isBreaking ? `${line} ${style.yellow('(breaking)')}` : line;
}

export function renderUpgrade({ from, to, command, isUpgraded }: Upgrade, { resultStyle }: Terminal): string {
  if (command === null) return `${resultStyle.green('✔')} ${from} is the newest version.`;
  if (isUpgraded) return `${resultStyle.green('✔')} The project has version ${to} now; it had ${from}.`;
  return `Version ${to} is there; this is ${from}. Nothing was changed. This would bring it:\n  ${command}`;
}
