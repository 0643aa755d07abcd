import type { UndoneWrites } from '#flows/audit/undo/undo-writes';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const words = { create: 'created', update: 'changed', delete: 'deleted' } as const;

/** What was taken back, and what was not. */
export function renderUndone({ isStopped, undone, left }: UndoneWrites, terminal: Terminal): string {
  const { resultStyle: style } = terminal;
  const rows = [
    ...undone.map(({ collection, recordId, sequence, action }) => [
      ...[String(sequence), collection, singleLine(recordId)],
      `taken back: it was ${words[action]}`,
    ]),
    ...left.map(({ collection, recordId, sequence, why }) => [
      ...[String(sequence), collection, singleLine(recordId)],
      `left: ${singleLine(why)}`,
    ]),
  ];
  const table = rows.length > 0 ? [renderTable(['ROW', 'COLLECTION', 'RECORD', 'OUTCOME'], rows, terminal), ''] : [];
  return [...table, summaryOf({ isStopped, undone, left }, style)].join('\n');
}

function summaryOf(
  { isStopped, undone, left }: Pick<UndoneWrites, 'isStopped' | 'undone' | 'left'>,
  style: Terminal['resultStyle'],
): string {
  if (isStopped) return `${style.red('✘')} Stopped. Taken back: ${undone.length}. Not taken back: ${left.length}.`;
  return undone.length > 0 ? `${style.green('✔')} Taken back: ${undone.length}.` : 'Nothing was taken back.';
}
