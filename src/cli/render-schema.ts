import path from 'node:path';
import type { SchemaChange } from '#flows/schema/compare-outlines';
import type { SchemaResult } from '#flows/schema/schema';
import type { TypingsComparison } from '#flows/schema/update-typings';
import { singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

/** Changes that are shown; the JSON has all of them. */
const maxShown = 50;

export function renderSchema({ path: file, tables, changes }: SchemaResult, { resultStyle: style }: Terminal): string {
  const name = path.relative('', file);
  return [...changeLines(changes, style), `${style.green('✔')} ${name} has ${tables} tables.`].join('\n');
}

export function renderSchemaComparison(result: SchemaResult, terminal: Terminal): string {
  return comparison(result, 'the databases', 'vendor-cloud schema', terminal);
}

export function renderTypingsComparison(result: TypingsComparison, terminal: Terminal): string {
  return comparison(result, 'the databases and the code', 'vendor-cloud update-typings', terminal);
}

function comparison(
  { path: file, isCurrent, changes }: TypingsComparison,
  source: string,
  command: string,
  { resultStyle: style }: Terminal,
): string {
  const name = path.relative('', file);
  if (isCurrent) return `${style.green('✔')} ${name} is what ${source} say.`;
  const told = changes.length > 0 ? changeLines(changes, style) : ['No program notices what differs.'];
  return [...told, `${style.red('✖')} ${name} is not what ${source} say. Write it anew: ${command}`].join('\n');
}

function changeLines(changes: readonly SchemaChange[], style: Terminal['style']): readonly string[] {
  const more = changes.length - maxShown;
  return [
    ...changes.slice(0, maxShown).map((change) => renderSchemaChange(change, style)),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ];
}

/** One line a change; what may break others is marked. */
export function renderSchemaChange(
  { change, collection, part, facts, isBreaking }: SchemaChange,
  style: Terminal['style'],
): string {
  const what = part ? `${part.kind} ${part.name} of ${collection}` : `collection ${collection}`;
  const told = singleLine(facts.length > 0 ? `${what}: ${facts.join('; ')}` : what);
  const line = { added: style.green(`+ ${told}`), removed: style.red(`- ${told}`), changed: style.cyan(`~ ${told}`) }[
    change
  ];
  return isBreaking ? `${line} ${style.yellow('(breaking)')}` : line;
}
