import type { LogLine } from '#contracts/local-log';
import { singleLine } from './table.ts';
import type { Terminal } from './terminal.ts';

/** A line of a log, and more lines below it where its text has them. The time is in UTC, and says so: its reader may be anywhere. */
export function renderLogLine({ at, level, source, text }: LogLine, { resultStyle: style }: Terminal): string {
  const levels = { Debug: style.dim('debug'), Info: 'info ', Warn: style.yellow('warn '), Error: style.red('error') };
  const [first = '', ...more] = text.split('\n').map(singleLine);
  const time = `${at.slice(0, 19).replace('T', ' ')}Z`;
  const line = `${style.dim(time)} ${levels[level]} ${style.dim(singleLine(source))} ${first}`;
  return [line, ...more.map((each) => `    ${each}`)].join('\n');
}
