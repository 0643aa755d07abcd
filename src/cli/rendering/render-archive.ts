import type { VerifiedArchive } from '#flows/audit/verify-archived-logs';
import type { ArchivedLogs } from '#flows/platform/archive-logs';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const states = {
  archived: 'archived now',
  kept: 'archived before',
  erased: 'values taken out',
  lost: 'not archived, and removed',
} as const;

export function renderArchivedLogs({ archive, logs }: ArchivedLogs, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const rows = logs.flatMap((log) =>
    log.months.map(({ month, rows: count, state }) => [...named(log), month, String(count), states[state]]),
  );
  if (rows.length === 0) return 'No month of a log is over yet.';
  const months = logs.flatMap((log) => log.months);
  return [
    renderTable(['PROJECT', 'LOG OF', 'MONTH', 'ROWS', 'STATE'], rows, terminal),
    '',
    `${resultStyle.green('✔')} ${whatWasDone(months)} in ${archive}.`,
    '  `audit verify --archive` verifies it without the platform.',
  ].join('\n');
}

function whatWasDone(months: ArchivedLogs['logs'][number]['months']): string {
  const count = (wanted: keyof typeof states) => months.filter(({ state }) => state === wanted).length;
  const inMonths = (number: number) => (number === 1 ? '1 month' : `${number} months`);
  const [archived, erased] = [count('archived'), count('erased')];
  const did = [
    ...(archived > 0 ? [`archived ${inMonths(archived)}`] : []),
    ...(erased > 0 ? [`took erased values out of ${inMonths(erased)}`] : []),
  ].join(', and ');
  return did === '' ? 'There was nothing new to archive' : `${did[0]?.toUpperCase()}${did.slice(1)}`;
}

export function renderVerifiedArchive({ archive, logs }: VerifiedArchive, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const rows = logs.map((log) => [
    ...named(log),
    log.months.length === 1 ? String(log.months[0]) : `${log.months[0]} to ${log.months.at(-1)}`,
    `${log.first} to ${log.last}`,
    log.erasures.length === 0 ? '' : log.erasures.join(', '),
  ]);
  return [
    renderTable(['PROJECT', 'LOG OF', 'MONTHS', 'ROWS', 'ERASED BY ROW'], rows, terminal),
    '',
    `${resultStyle.green('✔')} The archive holds: ${archive}.`,
    '  No file and no row is changed, missing or added.',
  ].join('\n');
}

function named({ project, environment }: { readonly project: string; readonly environment: string | null }) {
  return [project, environment ?? 'project'];
}
