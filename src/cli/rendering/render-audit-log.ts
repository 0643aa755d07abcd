import path from 'node:path';
import { readCheckpoint } from '#contracts/audit/checkpoint';
import type { ClockJump, Erased, Verdict } from '#contracts/audit/verdict';
import type { ExportedLog } from '#flows/audit/export-audit-log';
import type { FoundLogs } from '#flows/audit/search-audit-log';
import type { BackUpResult, MoveResult, RestoreResult } from '#flows/platform/copy-store';
import type { VerifiedStore } from '#flows/platform/verify-store-logs';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Of a document in a terminal, in characters. A pipe and `--json` have all of it. */
const longestValue = 120;

/** The newest logs at the top, as a table of 80 columns; whole in a pipe. */
export function renderFoundLogs(found: FoundLogs, terminal: Terminal): string {
  if (found.logs.length === 0) return 'No log fulfils these conditions.';
  const table = found.kind === 'activity' ? activityTable(found.logs, terminal) : adminTable(found.logs, terminal);
  const more = found.hasMore ? ['', 'There are older ones: see more with --limit, or --until.'] : [];
  return [table, ...more].join('\n');
}

/** From here on, a terminal has room for the fields beside the program. */
const wideColumns = 100;

/** Programs have a column where one of the logs is of one. */
function activityTable(logs: Extract<FoundLogs, { readonly kind: 'activity' }>['logs'], terminal: Terminal): string {
  const cut = cutTextFor(terminal);
  const hasPrograms = logs.some((log) => programOf(log) !== '');
  const isWide = terminal.resultColumns >= wideColumns;
  const hasFields = !hasPrograms || isWide;
  const hasVersions = isWide && logs.some(({ codeVersion }) => typeof codeVersion === 'number');
  const rows = logs.map(({ label, recordIds = [], fields = [], ...log }) => [
    timeOf(log.createdAt),
    cut(log.user.email, 20),
    ...(hasPrograms ? [cut(programOf(log), 20)] : []),
    cut(label === undefined ? log.action : `${log.action} ${label}`, 18),
    cut(log.collection?.name ?? '', 14),
    recordsOf(recordIds, log.recordCount ?? null),
    log.status === 'completed' ? '✔' : (log.status ?? ''),
    ...(hasVersions ? [String(log.codeVersion ?? '')] : []),
    ...(hasFields ? [fields.join(', ')] : []),
  ]);
  const header = ['TIME (UTC)', 'WHO', ...(hasPrograms ? ['PROGRAM'] : []), 'ACTION', 'COLLECTION', 'RECORDS', 'OK'];
  const further = [...(hasVersions ? ['VERSION'] : []), ...(hasFields ? ['FIELDS'] : [])];
  return renderTable([...header, ...further], rows, terminal);
}

/** The MCP client and its tool. */
function programOf({ client, tool }: Extract<FoundLogs, { readonly kind: 'activity' }>['logs'][number]): string {
  return [client?.name, tool].filter((name) => name !== undefined && name !== null).join(': ');
}

function adminTable(logs: Extract<FoundLogs, { readonly kind: 'admin' }>['logs'], terminal: Terminal): string {
  const cut = cutTextFor(terminal);
  const rows = logs.map(({ createdAt, user, initiator, type, resource, environment, previousValue, newValue }) => [
    timeOf(createdAt),
    cut(user?.email ?? initiator, 20),
    `${type} ${resource}`,
    cut(environment?.name ?? '', 12),
    [previousValue, newValue].map((value) => (value ? cut(JSON.stringify(value), longestValue) : '')).join(' → '),
  ]);
  return renderTable(['TIME (UTC)', 'WHO', 'CHANGE', 'ENVIRONMENT', 'FROM → TO'], rows, terminal);
}

function timeOf(createdAt: string): string {
  return createdAt.slice(0, 19).replace('T', ' ');
}

function recordsOf(recordIds: readonly string[], recordCount: number | null): string {
  const [first, second, ...others] = recordIds;
  const shown = [first, second].filter((id) => id !== undefined).join(', ');
  const count = Math.max(others.length, (recordCount ?? 0) - 2);
  return count > 0 ? `${shown} +${count}` : shown;
}

export function renderExportedLog({ file, rows, wasContinued }: ExportedLog, { resultStyle }: Terminal): string {
  const where = path.relative('', file) || file;
  return `${resultStyle.green('✔')} ${wasContinued ? 'Added' : 'Wrote'} ${countedRows(rows)} to ${where}.`;
}

function countedRows(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

export function renderVerdict(verdict: Verdict, { resultStyle }: Terminal): string {
  const { rows, chain, checkpoint, restored, outcome, missing, clockJumps = [], erasures = [], earlier } = verdict;
  if (outcome === 'unverifiable')
    return `${resultStyle.yellow('!')} Nothing proves the ${countedRows(rows)} yet: ${missing.join(' ')}`;
  if (rows === 0) return `${resultStyle.green('✔')} The log has no rows yet.`;
  const signed = checkpoint === null ? undefined : readCheckpoint(checkpoint);
  return [
    `${resultStyle.green('✔')} ${heldRows(verdict)}`,
    ...(earlier ? [`  ${earlierWords(earlier)}`] : []),
    ...(restored ? [`  ${restoredWords(restored)}`] : []),
    ...clockJumps.map((jump) => `  ${clockWords(jump)}`),
    ...erasures.map((erased) => `  ${erasureWords(erased)}`),
    `  Chain ${chain ?? ''}`,
    ...(signed ? [`  Signed by the platform at row ${signed.size}, ${signed.at}`] : []),
  ].join('\n');
}

function heldRows({ rows, first, last }: Verdict): string {
  return `The log holds: ${countedRows(rows)}, from ${first} to ${last}, none changed, missing or moved.`;
}

function earlierWords({ to, at }: NonNullable<Verdict['earlier']>): string {
  return `An earlier run verified the rows up to ${to}, at ${at}. This run did not look at them again: without --state it finds what was changed there since.`;
}

function restoredWords({ size, madeAt, at }: NonNullable<Verdict['restored']>): string {
  return `It was restored at ${at} from a backup of ${madeAt}, which ended with row ${size}. Rows that were written in between are lost.`;
}

function clockWords({ log, from, to }: ClockJump): string {
  return `The clock of the platform went back from ${from} to ${to}. Rows of the log ${log} have later times than they should.`;
}

function erasureWords({ by, reference, from, to, rows }: Erased): string {
  const when = from === to ? `at ${to}` : `from ${from} to ${to}`;
  const who = by === null ? '' : ` by ${by}`;
  return singleLine(
    `Somebody was erased from ${countedRows(rows)}${who}, ${when}${reference === null ? '' : `: ${reference}`}.`,
  );
}

export function renderVerifiedStore({ store, logs, register }: VerifiedStore, terminal: Terminal): string {
  if (logs.length === 0) return `${terminal.resultStyle.green('✔')} ${store} has no log yet.`;
  const shown = logs.map((verdict) => renderVerdict(verdict, terminal));
  return [`${store}:`, ...shown, ...(register ? [renderRegister(register, terminal)] : [])].join('\n');
}

function renderRegister({ outcome, missing, rows }: Verdict, { resultStyle }: Terminal): string {
  if (outcome === 'unverifiable') return `${resultStyle.yellow('!')} ${missing.join(' ')}`;
  return `${resultStyle.green('✔')} The register of the logs holds: ${countedRows(rows)}, no log is missing or belongs to somebody else.`;
}

export function renderBackUp({ file, tables, rows }: BackUpResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${file} holds ${rows} rows of ${tables} tables.`,
    '  The platform key is not in it: keep that too, apart from the backup.',
  ].join('\n');
}

export function renderRestore({ store, tables, rows, madeAt }: RestoreResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${store} holds ${rows} rows of ${tables} tables, as they were at ${madeAt}.`,
    '  Start the platform with the platform key that it had then.',
  ].join('\n');
}

export function renderMove({ from, to, tables, rows }: MoveResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${to} holds ${rows} rows of ${tables} tables; counts and digests are the same.`,
    `  ${from} is unchanged. Start the platform with the new address and the same platform key.`,
  ].join('\n');
}
