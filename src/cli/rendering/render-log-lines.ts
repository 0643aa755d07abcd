import type { LogLine } from '#contracts/local-log';
import type { AgentLogLine } from '#flows/agent-worker/worker-protocol';
import type { LogFilter } from '#flows/dev/dev-input';
import type { LogLevel } from '#kernel/ports/logger';
import { singleLine } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

const levels = { debug: 'Debug', info: 'Info', warn: 'Warn', error: 'Error' } as const satisfies Record<
  string,
  LogLevel
>;
type LevelName = keyof typeof levels;

/** The lines that the flags ask for. A text without a level means requests. */
export function agentLogFilter(flags: {
  readonly level?: LevelName | undefined;
  readonly grep?: string | undefined;
}): LogFilter | undefined {
  const { level, grep } = flags;
  if (level === undefined && grep === undefined) return undefined;
  const wanted = grep?.toLowerCase();
  return {
    level: levels[level ?? 'info'],
    shouldTell: (line) => wanted === undefined || textOf(line).toLowerCase().includes(wanted),
  };
}

/** A line of the log for a person. The correlation id is for scripts. */
export function renderAgentLog(line: AgentLogLine, { style }: Terminal): string {
  const colours = { Debug: style.dim, Info: style.dim, Warn: style.yellow, Error: style.red };
  return `${style.dim(line.time.slice(11, 19))} ${colours[line.level](textOf(line))}`;
}

function textOf({ message, facts }: AgentLogLine): string {
  const { correlationId: _id, status: _status, durationMs, ...others } = facts;
  const parts = Object.entries(others).map(([name, value]) => `${name}=${value}`);
  return singleLine([message, ...(durationMs === undefined ? [] : [`${durationMs} ms`]), ...parts].join('  '));
}

/** A line of a log, and more lines below it where its text has them. The time is in UTC, and says so: its reader may be anywhere. */
export function renderLogLine({ at, level, source, text }: LogLine, { resultStyle: style }: Terminal): string {
  const labels = { Debug: style.dim('debug'), Info: 'info ', Warn: style.yellow('warn '), Error: style.red('error') };
  const [first = '', ...more] = text.split('\n').map(singleLine);
  const time = `${at.slice(0, 19).replace('T', ' ')}Z`;
  const line = `${style.dim(time)} ${labels[level]} ${style.dim(singleLine(source))} ${first}`;
  return [line, ...more.map((each) => `    ${each}`)].join('\n');
}
