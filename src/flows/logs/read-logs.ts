import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '#contracts/local-log';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { localLogSource } from './local-log-source.ts';
import type { LogSource } from './log-source.ts';
import { platformLogSource } from './platform-log-source.ts';

/** From the least important one on. */
export const logLevels = ['Debug', 'Info', 'Warn', 'Error'] as const satisfies readonly LogLine['level'][];

interface LogFilter {
  /** The least important level to show. */
  readonly level: LogLine['level'];
  /** Only lines with this text, in upper or lower case. */
  readonly grep?: string | undefined;
  /** Only lines from then on, in milliseconds since the epoch. */
  readonly since?: number | undefined;
}

export interface ReadLogsInput extends LogFilter {
  readonly folder: string;
  /** Name of the environment whose hosts are meant. Without it, the log of `dev` and `serve` in the project. */
  readonly environment: string | undefined;
  /** The newest lines to begin with. */
  readonly limit: number;
  /** Go on with new lines until `signal` aborts. */
  readonly isFollowing: boolean;
  readonly signal: AbortSignal;
  tell(line: LogLine): void;
}

/** Tell the newest lines of a log, in order, and then those that come. Resolves to how many they were. */
export async function readLogs(context: FlowContext, input: ReadLogsInput): Promise<number> {
  const source = await sourceOf(context, input);
  const lines = await newestLines(source, input);
  for (const line of lines) input.tell(line);
  return lines.length + (input.isFollowing ? await follow(source, input) : 0);
}

async function sourceOf(context: FlowContext, { folder, environment }: ReadLogsInput): Promise<LogSource> {
  const project = await openProject(context.fs, folder, context.variables);
  if (environment === undefined) return localLogSource(context.fs, project.root);
  const { client } = await connectToPlatform(context, project, environment);
  return platformLogSource(client);
}

async function newestLines(source: LogSource, input: ReadLogsInput): Promise<readonly LogLine[]> {
  const found: LogLine[] = [];
  for await (const line of source.newest()) {
    if (found.length === input.limit || isBefore(line, input.since)) break;
    if (isWanted(line, input)) found.push(line);
  }
  return found.reverse();
}

async function follow(source: LogSource, { signal, tell, ...filter }: ReadLogsInput): Promise<number> {
  let told = 0;
  for (;;) {
    try {
      await delay(source.pauseMs, undefined, { signal });
    } catch {
      return told;
    }
    for (const line of await source.newLines()) {
      if (!isWanted(line, filter)) continue;
      tell(line);
      told += 1;
    }
  }
}

function isWanted(line: LogLine, { level, grep, since }: LogFilter): boolean {
  if (logLevels.indexOf(line.level) < logLevels.indexOf(level) || isBefore(line, since)) return false;
  return grep === undefined || line.text.toLowerCase().includes(grep.toLowerCase());
}

function isBefore({ at }: LogLine, since: number | undefined): boolean {
  return since !== undefined && Date.parse(at) < since;
}
