import type { BackUpResult, MoveResult, RestoreResult } from '#flows/platform/copy-store';
import type { Terminal } from './terminal.ts';

export function renderBackUp({ file, tables, rows }: BackUpResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${file} holds ${rows} rows of ${tables} tables.`,
    '  The platform key is not in it: keep that too, apart from the backup.',
  ].join('\n');
}

export function renderRestore({ store, tables, rows, madeAt }: RestoreResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${store} holds ${rows} rows of ${tables} tables, as they were at ${madeAt}.`,
    '  Start the platform with the platform key that it had then.',
  ].join('\n');
}

export function renderMove({ from, to, tables, rows }: MoveResult, { resultStyle }: Terminal): string {
  return [
    `${resultStyle.green('✔')} ${to} holds ${rows} rows of ${tables} tables; counts and digests are the same.`,
    `  ${from} is unchanged. Start the platform with the new address and the same platform key.`,
  ].join('\n');
}
