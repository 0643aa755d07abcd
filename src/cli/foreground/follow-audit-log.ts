import { hostname } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import type { ActivityEntry, AuditRow, AuditUser } from '#contracts/audit/rows';
import type { LogInput } from '#flows/audit/connect-to-audit-log';
import type { LogLine, LogSink, TailFormat } from '#flows/audit/tail/log-sink';
import { tailLog } from '#flows/audit/tail/tail-audit-log';
import { untilAborted } from '#flows/lifetime';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Milliseconds for a batch that is being sent when Ctrl-C comes. */
const endingMs = 12_000;

export interface TailFlags extends LogInput {
  readonly to: string;
  readonly format: TailFormat | undefined;
  readonly state: string | undefined;
  readonly isFromStart: boolean;
  readonly isOnce: boolean;
}

/** Follow a log until Ctrl-C, or until nothing is new. */
export async function followAuditLog(invocation: Invocation, context: CliContext, flags: TailFlags): Promise<void> {
  const { terminal } = invocation;
  invocation.serve(endingMs);
  const quit = new AbortController();
  void untilAborted(invocation.interrupted).then(() => quit.abort());
  const isForPeople = !terminal.isJson && flags.format === undefined;
  const to = flags.to === 'stdout' ? stdoutSink(terminal, isForPeople) : flags.to;
  try {
    const { rows } = await tailLog(context, { ...flags, to, hostname: hostname(), signal: quit.signal });
    if (flags.to !== 'stdout') terminal.note(`Delivered ${rows} rows.`);
  } finally {
    await context.http.close();
  }
}

/** Rows on stdout: as they came, or as lines for people. */
function stdoutSink({ resultStyle }: Terminal, isForPeople: boolean): LogSink {
  const show = ({ text }: LogLine) => (isForPeople ? readable(JSON.parse(text) as AuditRow, resultStyle) : text);
  return {
    write: ({ lines }) =>
      new Promise((resolve, reject) => {
        const text = lines.map((line) => `${show(line)}\n`).join('');
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}

/** What happened, on one line: names are of people and data, and must not move the cursor of the terminal. */
function readable(row: AuditRow, style: Terminal['resultStyle']): string {
  const time = style.dim(row.createdAt.slice(0, 19).replace('T', ' '));
  const text = stripVTControlCharacters(wordsOf(row)).replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, ' ');
  return `${time} ${text}`;
}

function wordsOf(row: AuditRow): string {
  switch (row.object) {
    case 'activityLog':
      return activityWords(row);
    case 'activityLogRecords':
      if (row.kept) return `… values of ${row.kept.length} records of row ${row.actSequence}`;
      if (row.unkept) return `… row ${row.actSequence} has no values: ${row.unkept}`;
      return `… ${row.recordIds.length} more records of row ${row.actSequence}`;
    case 'activityLogOutcome':
      return `… row ${row.actSequence} ${row.status}`;
    case 'adminLog': {
      const values = [row.previousValue, row.newValue].map((value) => (value ? JSON.stringify(value) : ''));
      return `${whoOf(row.user, row.initiator)} ${row.type} ${row.resource} ${values.join(' → ')}`;
    }
    case 'tombstone':
      return `rows ${row.from} to ${row.to} were removed: ${row.reason}`;
    case 'erasure':
      return `a person was erased from earlier rows${row.by === undefined ? '' : ` by ${row.by}`}${row.reference === undefined ? '' : `: ${row.reference}`}`;
  }
}

function activityWords({ user, action, label, collection, recordIds, recordCount, status }: ActivityEntry): string {
  const shown = recordIds.slice(0, 3).join(', ');
  const more = (recordCount ?? recordIds.length) - Math.min(3, recordIds.length);
  return [
    whoOf(user, 'erased'),
    label === undefined ? action : `${action} "${label}"`,
    collection?.name ?? '',
    more > 0 ? `${shown} +${more}` : shown,
    status === 'completed' ? '' : `(${status})`,
  ]
    .filter((word) => word !== '')
    .join(' ');
}

function whoOf(user: AuditUser | undefined, initiator: string): string {
  return user?.email ?? initiator;
}
