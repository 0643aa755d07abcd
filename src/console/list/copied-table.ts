import { isSelected, type Selection } from '../grid/selection.ts';
import type { RowSource, Rows } from '../grid/use-rows.ts';
import type { Column } from '../model/schema.ts';
import { textOf } from '../values/text-of.ts';
import { zone } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import { listRecords, projection, type Row } from '../wire/records.ts';

/** The most records that a request for a list answers. A copy takes no more; an export takes all of them. */
const mostCopied = 10_000;

/** The chosen rows of a list in its order: those that are loaded, or asked for where some are not. */
export async function chosenRows(
  { agent, path, parameters, paths }: RowSource,
  rows: Pick<Rows, 'loaded'>,
  selection: Selection,
  size: number | undefined,
): Promise<readonly Row[]> {
  const isChosen = ({ id }: Row) => isSelected(selection, id);
  const loaded = rows.loaded.filter(isChosen);
  if (loaded.length === size) return loaded;
  const page = { ...parameters, 'page[size]': String(mostCopied), 'page[number]': '1' };
  const found = await listRecords(agent, path, page, { headers: projection(paths) });
  return found.rows.filter(isChosen);
}

/** Rows with tabs between the cells, in the columns of the list: spreadsheets take it. A relation has the title of its record. */
export function asTable(rows: readonly Row[], columns: readonly Column[]): string {
  const lines = rows.map((row) => columns.map((column) => cellOf(row, column)).join('\t'));
  return [columns.map(({ name }) => name).join('\t'), ...lines].join('\n');
}

/** A spreadsheet takes a text that begins like a formula for one. An apostrophe keeps it a text. */
function cellOf(row: Row, { name, field, relation }: Column): string {
  const related = relation && row.related[name];
  const value = relation ? (own(related?.values ?? {}, relation.title) ?? related?.id) : own(row.values, name);
  if (value === null || value === undefined || value === '') return '';
  const text = textOf(value, field?.type, zone()).text.replace(/[\t\r\n]/g, ' ');
  return typeof value === 'string' && /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}
