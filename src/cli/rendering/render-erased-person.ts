import type { ErasedPerson } from '#flows/platform/erase-person';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

export function renderErasedPerson({ email, store, logs, isErased }: ErasedPerson, terminal: Terminal): string {
  const { resultStyle } = terminal;
  if (logs.length === 0) return `No audit log in ${store} names ${email}.`;
  const rows = logs.map(({ project, environment, rows: count, rowsThatStay, keptValues }) => [
    environment === null ? `${project}, changes` : `${project}/${environment}`,
    String(count),
    String(rowsThatStay),
    String(keptValues),
  ]);
  const stay = logs.reduce((sum, { rowsThatStay }) => sum + rowsThatStay, 0);
  const said = (text: string, lead: string) => wrapWords(text, lead, 2, terminal.resultColumns);
  return [
    renderTable(['LOG', isErased ? 'ERASED' : 'ROWS', 'STAY', 'VALUES'], rows, terminal),
    '',
    ...(isErased
      ? said(
          `${email} is erased from these rows and values. The logs hold: a signed row says what was erased.`,
          `${resultStyle.green('✔')} `,
        )
      : ['Nothing was erased.']),
    ...(stay > 0
      ? said(
          'Rows that stay were written by an older version, which hashed the names. They go with their retention.',
          '  ',
        )
      : []),
    ...(isErased ? said('Backups and exports that were made before still name the person.', '  ') : []),
  ].join('\n');
}
