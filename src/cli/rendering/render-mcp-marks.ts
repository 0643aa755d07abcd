import type { ListedAsk, ListedMark, MarkRead } from '#contracts/mcp-marks';
import type { AnsweredAsk, ClearedMark, SessionMarks } from '#flows/mcp/session-marks';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The assistants, each with what it has read and what it asks. */
export function renderSessionMarks({ environment, marks }: SessionMarks): string {
  if (marks.length === 0) return `No assistant of yours in ${environment} has read what people outside can write.`;
  return marks
    .map((mark) => [`${mark.id}  ${readInWords(mark)}`, ...mark.asks.map((ask) => `  ${askInWords(ask)}`)].join('\n'))
    .join('\n');
}

/** The most places that are shown of a mark. */
const shownReads = 10;

/** What an assistant has read. */
export function readInWords(mark: ListedMark): string {
  const { reads, readCount, markedAt } = mark;
  const places = reads.slice(0, shownReads).map(placeInWords);
  const more = readCount > places.length ? ` and ${readCount - places.length} more` : '';
  return `${nameOf(mark)} has read since ${markedAt}: ${singleLine(places.join(', '))}${more}`;
}

/** What an assistant wants to do. */
export function askInWords({ id, preview, answer }: ListedAsk): string {
  const { message, sample, details } = preview;
  const records = sample.map((record) => (record.label === undefined ? record.id : `${record.id}: ${record.label}`));
  const values = details.map(({ name, value }) => `${name} = ${value}`);
  const parts = [message, ...(records.length > 0 ? [`Records: ${records.join(', ')}.`] : []), ...values];
  return `${singleLine(parts.join(' '))} ${answer === null ? `[${id}]` : `(you said ${answer})`}`;
}

export function renderClearedMark({ id, name, isCleared }: ClearedMark, { resultStyle }: Terminal): string {
  if (!isCleared) return 'Nothing was changed.';
  return `${resultStyle.green('✔')} ${singleLine(name ?? `The assistant of mark ${id}`)} goes on without asking.`;
}

export function renderAnsweredAsk({ message, answer }: AnsweredAsk, { resultStyle }: Terminal): string {
  if (answer === 'no') return `You said no: ${singleLine(message)}`;
  return `${resultStyle.green('✔')} ${singleLine(message)} The assistant has to make its call again.`;
}

function nameOf({ client, clientName }: ListedMark): string {
  if (client === '') return 'A program with a token of yours';
  return `"${singleLine(clientName ?? client)}"`;
}

function placeInWords({ collection, recordId, field }: MarkRead): string {
  return recordId === null ? `${collection} (${field})` : `${collection} ${recordId} (${field})`;
}
