import type { UndoneWrites } from '#flows/audit/undo/undo-writes';
import { renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

const words = { create: 'created', update: 'changed', delete: 'deleted' } as const;

/** What was taken back, and what was not. */
export function renderUndone(done: UndoneWrites, terminal: Terminal): string {
  const { isStopped, undone, left, unversioned } = done;
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
  const unknown = unversioned === 0 ? [] : wrapWords(unversionedWords(unversioned), '  ', 2, terminal.resultColumns);
  return [...table, summaryOf({ isStopped, undone, left }, style), ...unknown].join('\n');
}

/** What the log does not tell about writes of the same time. */
export function unversionedWords(count: number): string {
  const writes = count === 1 ? '1 write in the same time names' : `${count} writes in the same time name`;
  return `${writes} no version, as hosts of older versions leave it out. Nothing is done about ${count === 1 ? 'it' : 'them'}.`;
}

function summaryOf(
  { isStopped, undone, left }: Pick<UndoneWrites, 'isStopped' | 'undone' | 'left'>,
  style: Terminal['resultStyle'],
): string {
  if (isStopped) return `${style.red('✘')} Stopped. Taken back: ${undone.length}. Not taken back: ${left.length}.`;
  return undone.length > 0 ? `${style.green('✔')} Taken back: ${undone.length}.` : 'Nothing was taken back.';
}
