import type { TableChange } from '#flows/project-agent/table-changes';
import { singleLine } from '../terminal/table.ts';

/** As many as fit into a few lines. */
const mostTables = 10;
const mostColumns = 10;

/** What became of tables, for a person: `orders: + note, − label; + table invoices`. */
export function tableChangesText(changes: readonly TableChange[]): string {
  return inBrief(changes.map(textOf), mostTables, '; ');
}

function textOf({ table, change, added, removed, changed, hasOtherRules }: TableChange): string {
  const name = singleLine(table);
  if (change === 'added') return `+ table ${name}`;
  if (change === 'removed') return `− table ${name}`;
  const columns = [
    ...added.map((column) => `+ ${singleLine(column)}`),
    ...removed.map((column) => `− ${singleLine(column)}`),
    ...changed.map(({ column, before, after }) => {
      const types = before === after ? 'other rules' : `${singleLine(before)} → ${singleLine(after)}`;
      return `${singleLine(column)} (${types})`;
    }),
  ];
  // New columns bring their keys and relations along.
  const others = hasOtherRules && columns.length === 0 ? ['other keys or relations'] : [];
  return `${name}: ${inBrief([...columns, ...others], mostColumns, ', ')}`;
}

function inBrief(texts: readonly string[], most: number, separator: string): string {
  const shown = texts.slice(0, most);
  const more = texts.length > most ? [`${texts.length - most} more`] : [];
  return [...shown, ...more].join(separator);
}
