import path from 'node:path';
import type { ExportedData } from '#flows/data/export-data';
import type { ResetData } from '#flows/data/reset-data';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

type Created = { readonly collections: readonly { readonly name: string; readonly created: number }[] };

/** How many records each collection has more. */
export function renderCreated({ collections }: Created, terminal: Terminal): string {
  const rows = collections.map(({ name, created }) => [String(created), name]);
  return renderTable(['CREATED', 'COLLECTION'], rows, terminal);
}

export function renderExported({ files }: ExportedData, { resultStyle }: Terminal): string {
  return files
    .map(({ path: file, records }) => `${resultStyle.green('✔')} ${path.relative('', file)} (${records} records)`)
    .join('\n');
}

export function renderReset({ project, deleted, hasSampleData }: ResetData, { resultStyle }: Terminal): string {
  const total = deleted.reduce((sum, each) => sum + each.deleted, 0);
  const after = hasSampleData ? ' The sample data are as they were.' : '';
  return `${resultStyle.green('✔')} ${project}: ${total} records of ${deleted.length} collections deleted.${after}`;
}
