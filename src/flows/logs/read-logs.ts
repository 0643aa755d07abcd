import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type LocalLogLine, type LogLine, localLogFolders, localLogLineSchema } from '#contracts/local-log';
import type { FileSystem } from '#kernel/ports/file-system';
import type { DeployingClient } from '#platform-client/deploying-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToDeploy } from '../platform-access/connect-to-platform.ts';

/** A log that is read from its end, and then followed. */
interface LogSource {
  /** Lines from the newest to the oldest; those that come meanwhile are left to `newLines`. */
  newest(): AsyncIterable<LogLine>;
  /** Those that came since the last call of either, in order. */
  newLines(): Promise<readonly LogLine[]>;
  /** How long to wait before the next call of `newLines`, in milliseconds. */
  readonly pauseMs: number;
}

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
  const { client } = await connectToDeploy(context, project, environment);
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

/** The logs that `dev` and `serve` keep in a project, as one. */
function localLogSource(fs: FileSystem, root: string): LogSource {
  /** How many lines of each run were read. */
  const read = new Map<string, number>();
  const unread = async (): Promise<readonly LocalLogLine[]> => {
    const lines = (await readAll(fs, root)).filter(({ run, sequence }) => sequence > (read.get(run) ?? 0));
    for (const { run, sequence } of lines) read.set(run, Math.max(sequence, read.get(run) ?? 0));
    return lines;
  };
  return {
    pauseMs: 500,
    async *newest() {
      yield* (await unread()).toReversed();
    },
    newLines: unread,
  };
}

async function readAll(fs: FileSystem, root: string): Promise<readonly LocalLogLine[]> {
  const files = await Promise.all(
    localLogFolders.map(async (folder) => {
      const names = await fs.list(path.join(root, folder));
      return names.filter((name) => name.endsWith('.ndjson')).map((name) => path.join(root, folder, name));
    }),
  );
  const texts = await Promise.all(files.flat().map(async (file) => (await fs.readText(file)) ?? ''));
  const lines = texts.flatMap((text) => text.split('\n').flatMap(readLine));
  return lines.sort((a, b) => (a.at === b.at ? a.sequence - b.sequence : a.at < b.at ? -1 : 1));
}

/** A line that is being written, or was cut by a crash, does not count yet. */
function readLine(text: string): readonly LocalLogLine[] {
  try {
    const { success, data } = localLogLineSchema.safeParse(JSON.parse(text));
    return success ? [data] : [];
  } catch {
    return [];
  }
}

/** Lines that one request asks for. */
const pageSize = 1000;

type PlatformLine = Awaited<ReturnType<DeployingClient['logs']>>['lines'][number];

/** The log of the hosts of an environment, as the platform keeps it. */
function platformLogSource(client: Pick<DeployingClient, 'logs'>): LogSource {
  /** Sequence of the newest line that was read. */
  let newest = 0;
  return {
    pauseMs: 2_000,
    async *newest() {
      for (let before: number | undefined; ; ) {
        const { lines, nextBefore } = await client.logs({ limit: pageSize, before });
        newest = Math.max(newest, lines[0]?.sequence ?? 0);
        yield* lines.map(lineOf);
        if (nextBefore === null) return;
        before = nextBefore;
      }
    },
    async newLines() {
      const found: PlatformLine[] = [];
      for (let before: number | undefined; ; ) {
        const { lines, nextBefore } = await client.logs({ limit: pageSize, before });
        found.push(...lines.filter(({ sequence }) => sequence > newest));
        const isAllFound = (lines.at(-1)?.sequence ?? 0) <= newest || nextBefore === null;
        if (isAllFound) break;
        before = nextBefore;
      }
      newest = Math.max(newest, found[0]?.sequence ?? 0);
      return found.reverse().map(lineOf);
    },
  };
}

function lineOf({ at, level, host, text }: PlatformLine): LogLine {
  return { at, level, source: host, text };
}
