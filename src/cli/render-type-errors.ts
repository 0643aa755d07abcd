import path from 'node:path';
import type { TypeProblem } from '#project/index';
import type { Terminal } from './terminal.ts';

/** Codes of errors for which a file is no TypeScript at all. */
const syntaxCode = /^TS1(0\d\d|1[0-8]\d)$/;

/** What the compiler says of the project, the first errors with the lines around them. */
export function renderTypeErrors(errors: readonly TypeProblem[], { style }: Terminal, workingFolder: string): string {
  if (errors.length === 0) return `${style.green('✔')} The types are right again.`;
  const broken = [...new Set(errors.filter(({ code }) => syntaxCode.test(code)).map(({ file }) => file))];
  const ofTypes = errors.filter(({ code }) => !syntaxCode.test(code)).length;
  const count = ofTypes === 1 ? 'One type error' : `${ofTypes} type errors`;
  const shown = errors.filter(({ frame }) => frame !== undefined);
  const more = errors.length - shown.length;
  return [
    ...broken.map((file) => `${style.yellow('!')} ${path.relative(workingFolder, file)} does not parse.`),
    ...(ofTypes > 0 ? [`${style.yellow('!')} ${count}. The code is served all the same.`] : []),
    ...shown.flatMap(({ file, line, column, code, message, frame = '' }) => [
      `  ${style.cyan(`${path.relative(workingFolder, file)}:${line}:${column}`)} ${message.split('\n', 1)[0]} ${style.dim(`[${code}]`)}`,
      '',
      ...frame.split('\n').map((text) => `  ${text}`),
      '',
    ]),
    ...(more > 0 ? [style.dim(`  and ${more} more: vendor-cloud check`)] : []),
  ].join('\n');
}
