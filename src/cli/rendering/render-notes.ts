import { stripVTControlCharacters } from 'node:util';
import type { InboxNote } from '#contracts/notes';
import type { Note } from '#contracts/public-api/notes';
import type { ListedNotes } from '#flows/notes/manage-notes';
import type { ReadInbox } from '#flows/notes/read-inbox';
import { cutTextFor, renderTable, singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The notes, one a row of 80 columns; whole in a pipe. */
export function renderNotes({ notes, environment, nextCursor }: ListedNotes, terminal: Terminal): string {
  const cut = cutTextFor(terminal);
  if (notes.length === 0) return `${environment} has no such note. Begin one: vendor-cloud notes create --help`;
  const rows = notes.map((note) => [
    String(note.id),
    cut(note.title, 22),
    cut(note.collection?.name ?? '', 14),
    cut(note.recordId, 10),
    String(note.messages.length),
    dayOf(note.updatedAt),
    `${note.user.username || note.user.email}${note.archivedAt === undefined ? '' : ' (archived)'}`,
  ]);
  const header = ['ID', 'TITLE', 'COLLECTION', 'RECORD', 'MESSAGES', 'CHANGED', 'BY'];
  const more = nextCursor === null ? [] : ['', `There are more: --cursor ${nextCursor}`];
  return [renderTable(header, rows, terminal), ...more].join('\n');
}

/** What concerns a person, one note a row. */
export function renderInbox({ notes, isWhole, marked }: ReadInbox, terminal: Terminal): string {
  if (notes.length === 0) {
    return isWhole
      ? 'No note concerns you.'
      : 'Nothing is unread. See what you have read: vendor-cloud notes inbox --all';
  }
  const rows = notes.map((note) => [
    String(note.id),
    note.title,
    note.collection,
    note.recordId,
    note.user.name,
    newsOf(note),
    note.updatedAt.slice(0, 16).replace('T', ' '),
  ]);
  const table = renderTable(['ID', 'TITLE', 'ON', 'RECORD', 'FROM', 'NEWS', 'TIME (UTC)'], rows, terminal);
  const count = marked === 1 ? '1 note' : `${marked} notes`;
  return marked === 0 ? table : `${table}\n\n${terminal.resultStyle.green('✔')} Marked ${count} as read.`;
}

function newsOf({ unread, isMentioned }: InboxNote): string {
  if (unread === 0) return 'read';
  return `${unread}${isMentioned ? ' @you' : ''}`;
}

/** A note with its messages, as plain text. */
export function renderNote(note: Note, { resultStyle }: Terminal): string {
  const { id, title, collection, recordId, team, messages, archivedAt } = note;
  const about = [collection?.name, recordId].filter((name) => name !== undefined).map(singleLine);
  const archived = archivedAt === undefined ? '' : `, archived on ${dayOf(archivedAt)}`;
  return [
    `${resultStyle.bold(`#${id} ${singleLine(title)}`)}`,
    `${about.join(' ')}, team ${singleLine(team.name)}${archived}`,
    ...messages.flatMap(({ content, createdAt, user }) => [
      '',
      resultStyle.bold(`${singleLine(user.username || user.email)}, ${createdAt.slice(0, 16).replace('T', ' ')} UTC`),
      textOf(content),
    ]),
  ].join('\n');
}

const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** What sanitized HTML says. Its elements are few, and it has no other entities than these. */
export function textOf(html: string): string {
  const text = html
    .replace(/<a href="([^"]*)">(.*?)<\/a>/gs, (_link, address: string, name: string) =>
      name === address ? name : `${name} (${address})`,
    )
    .replace(/<li>/g, '\n- ')
    .replace(/<br \/>|<\/p>|<\/?[uo]l>/g, '\n')
    .replace(/<\/?[a-z][^>]*>/g, '')
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => entities[entity] ?? entity)
    .replace(/\n{2,}/g, '\n');
  return stripVTControlCharacters(text)
    .replace(/(?:(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029])+/gu, ' ')
    .trim();
}

function dayOf(time: string): string {
  return time.slice(0, 10);
}
