import path from 'node:path';
import type { VersionList } from '#contracts/versions';
import type { BootstrapResult } from '#flows/bootstrap/bootstrap';
import type { Deployed } from '#flows/deployments/roll-back';
import type { PushResult } from '#flows/push/push';
import type { UpdateTypingsResult } from '#flows/update-typings/update-typings';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

export function renderBootstrap(result: BootstrapResult, { resultStyle }: Terminal): string {
  const folder = path.relative('', result.path) || '.';
  return [
    `${resultStyle.green('✔')} Created ${resultStyle.bold(result.name)} in ${folder} (${result.collections} collections).`,
    ...Object.entries(result.settings).flatMap(([name, settings]) => renderSettings(name, settings)),
    '',
    '  Next:',
    ...nextCommands(folder, result).map((command) => `    ${command}`),
  ].join('\n');
}

function nextCommands(folder: string, { isInstalled, packageManager }: BootstrapResult): string[] {
  return [
    ...(folder === '.' ? [] : [`cd ${/[^\w./-]/.test(folder) ? `"${folder}"` : folder}`]),
    ...(isInstalled ? [] : [`${packageManager} install`]),
    'npx vendor-cloud dev',
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

export function renderPush({ version, environment, deployment }: PushResult, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const what = `${version.digest.slice(0, 12)}, ${kilobytes(version.sizeBytes)}`;
  const pushed = `${resultStyle.green('✔')} Version ${resultStyle.bold(version.number)} is uploaded (${what}).`;
  return deployment ? `${pushed}\n${renderDeployment({ deployment, environment }, terminal)}` : pushed;
}

export function renderDeployment({ deployment, environment }: Deployed, { resultStyle }: Terminal): string {
  const { number, version, note } = deployment;
  const line = `${resultStyle.green('✔')} Version ${resultStyle.bold(version)} is live in ${environment} (deployment ${number}).`;
  return note === null ? line : `${line} ${note}`;
}

export function renderVersions({ versions, nextBefore }: VersionList, { resultStyle }: Terminal): string {
  if (versions.length === 0) return 'There is no version yet. Make one: vendor-cloud push';
  const rows = versions.map((version) => [
    String(version.number),
    version.createdAt.slice(0, 16).replace('T', ' '),
    version.digest.slice(0, 12),
    version.author.name,
    version.message,
  ]);
  const [header = '', ...lines] = renderTable(['VERSION', 'TIME (UTC)', 'DIGEST', 'AUTHOR', 'MESSAGE'], rows).split(
    '\n',
  );
  const more = nextBefore === null ? [] : ['', `Older ones: vendor-cloud versions --before ${nextBefore}`];
  return [resultStyle.bold(header), ...lines, ...more].join('\n');
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} kB`;
}
