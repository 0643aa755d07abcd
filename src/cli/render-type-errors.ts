import path from 'node:path';
import type { TypeProblem } from '#project/index';
import type { Terminal } from './terminal.ts';

/** What the compiler says of the project, the first errors with the lines around them. */
export function renderTypeErrors(errors: readonly TypeProblem[], { style }: Terminal, workingFolder: string): string {
  if (errors.length === 0) return `${style.green('✔')} The types are right again.`;
  const count = errors.length === 1 ? 'One type error' : `${errors.length} type errors`;
  const shown = errors.filter(({ frame }) => frame !== undefined);
  const more = errors.length - shown.length;
  return [
    `${style.yellow('!')} ${count}. The code is served all the same.`,
    ...shown.flatMap(({ file, line, column, code, message, frame = '' }) => [
      `  ${style.cyan(`${path.relative(workingFolder, file)}:${line}:${column}`)} ${message.split('\n', 1)[0]} ${style.dim(`[${code}]`)}`,
      '',
      ...frame.split('\n').map((text) => `  ${text}`),
      '',
    ]),
    ...(more > 0 ? [style.dim(`  and ${more} more: vendor-cloud check`)] : []),
  ].join('\n');
}
