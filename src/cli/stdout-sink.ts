import { stripVTControlCharacters } from 'node:util';
import type { ActivityEntry, AuditRow, AuditUser } from '#contracts/audit/rows';
import type { LogLine, LogSink } from '#flows/audit/tail/log-sink';
import type { Terminal } from './terminal.ts';

/**
 * Rows on stdout: as they came, or as lines for people.
 *
 * @param leave called when the reader of stdout is gone.
 */
export function openStdoutSink({ resultStyle }: Terminal, isForPeople: boolean, leave: () => void): LogSink {
  // The callback of the write tells it too.
  process.stdout.on('error', leave);
  const show = ({ text }: LogLine) => (isForPeople ? readable(JSON.parse(text) as AuditRow, resultStyle) : text);
  return {
    write: ({ lines }) =>
      new Promise((resolve, reject) => {
        const text = lines.map((line) => `${show(line)}\n`).join('');
        process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    close: async () => void process.stdout.off('error', leave),
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
      return `… ${row.recordIds.length} more records of row ${row.actSequence}`;
    case 'activityLogOutcome':
      return `… row ${row.actSequence} ${row.status}`;
    case 'adminLog': {
      const values = [row.previousValue, row.newValue].map((value) => (value ? JSON.stringify(value) : ''));
      return `${whoOf(row.user, row.initiator)} ${row.type} ${row.resource} ${values.join(' → ')}`;
    }
    case 'tombstone':
      return `rows ${row.from} to ${row.to} were removed: ${row.reason}`;
  }
}

function activityWords({ user, action, label, collection, recordIds, recordCount, status }: ActivityEntry): string {
  const shown = recordIds.slice(0, 3).join(', ');
  const more = (recordCount ?? recordIds.length) - Math.min(3, recordIds.length);
  return [
    whoOf(user, ''),
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
