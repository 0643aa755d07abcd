import type { ErasedPerson } from '#flows/platform/erase-person';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-text.ts';

/** What the store has of a person beside its logs. */
const textNames: Readonly<Record<keyof ErasedPerson['texts'], string>> = {
  notes: 'Notes that they began',
  messages: 'Messages in notes',
  mentions: 'Mentions by others',
  inbox: 'Notes in their inbox',
  comments: 'Comments on requests',
  invitations: 'Invitations',
};

export function renderErasedPerson({ email, store, logs, texts, isErased }: ErasedPerson, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const named = Object.entries(textNames)
    .map(([name, title]) => [title, texts[name as keyof typeof texts]] as const)
    .filter(([, count]) => count > 0);
  if (logs.length + named.length === 0) return `No audit log and no note in ${store} names ${email}.`;
  const rows = logs.map(({ project, environment, rows: count, rowsThatStay, keptValues }) => [
    environment === null ? `${project}, changes` : `${project}/${environment}`,
    String(count),
    String(rowsThatStay),
    String(keptValues),
  ]);
  const stay = logs.reduce((sum, { rowsThatStay }) => sum + rowsThatStay, 0);
  const said = (text: string, lead: string) => wrapWords(text, lead, 2, terminal.resultColumns);
  return [
    ...(logs.length > 0
      ? [renderTable(['LOG', isErased ? 'ERASED' : 'ROWS', 'STAY', 'VALUES'], rows, terminal), '']
      : []),
    ...(named.length > 0
      ? [
          renderTable(
            ['TEXTS', isErased ? 'ERASED' : 'COUNT'],
            named.map(([title, count]) => [title, String(count)]),
            terminal,
          ),
          '',
        ]
      : []),
    ...(isErased
      ? said(
          logs.length > 0
            ? `${email} is erased from all of this. The logs hold: a signed row says what was erased.`
            : `${email} is erased from all of this.`,
          `${resultStyle.green('✔')} `,
        )
      : ['Nothing was erased.']),
    ...(stay > 0
      ? said(
          'Rows that stay were written by an older version, which hashed the names. They go with their retention.',
          '  ',
        )
      : []),
    ...(isErased ? said('The account stays, and so do backups and exports that were made before.', '  ') : []),
  ].join('\n');
}
