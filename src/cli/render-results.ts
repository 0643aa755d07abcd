import path from 'node:path';
import type { BootstrapResult } from '#flows/bootstrap/bootstrap';
import { runCommand } from '#flows/packages/package-manager';
import type { UpdateTypingsResult } from '#flows/schema/update-typings';
import type { Terminal } from './terminal.ts';

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
function renderSettings(name: string, { softDelete, timestamps }: BootstrapResult['settings'][string]): string[] {
  const marks = Object.entries(softDelete || {}).map(([table, column]) => `${table} (${column})`);
  const times = Object.entries(timestamps || {}).map(
    ([table, columns]) => `${table} (${Object.values(columns).join(', ')})`,
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
  ];
}

export function renderUpdateTypings(result: UpdateTypingsResult, { resultStyle }: Terminal): string {
  const file = path.relative('', result.path);
  return `${resultStyle.green('✔')} ${file} ${result.hasChanged ? 'written' : 'is up to date'} (${result.collections} collections).`;
}
