import type { LogLine } from '#contracts/local-log';
import { untilAborted } from '#flows/lifetime';
import { logLevels, type ReadLogsInput, readLogs } from '#flows/logs/read-logs';
import type { CliContext } from '../invocation/cli-context.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { renderLogLine } from '../rendering/render-log-lines.ts';

/** Milliseconds for a request that is on its way when Ctrl-C comes. */
const endingMs = 1_000;

type LogWishes = Omit<ReadLogsInput, 'signal' | 'tell' | 'level'> & { readonly level: Lowercase<LogLine['level']> };

/** Show a log, line by line; while it is followed, until Ctrl-C. */
export async function showLog(invocation: Invocation, context: CliContext, wishes: LogWishes): Promise<void> {
  const { terminal } = invocation;
  if (wishes.isFollowing) invocation.serve(endingMs);
  const quit = new AbortController();
  void untilAborted(invocation.interrupted).then(() => quit.abort());
  const level = logLevels.find((each) => each.toLowerCase() === wishes.level) ?? 'Info';
  try {
    const told = await readLogs(context, {
      ...wishes,
      level,
      signal: quit.signal,
      tell: ({ at, level: own, source, text }) => {
        if (terminal.isJson) terminal.json({ at, level: own, source, text });
        else terminal.result(renderLogLine({ at, level: own, source, text }, terminal));
      },
    });
    if (told === 0 && !wishes.isFollowing) terminal.note('Nothing was said.');
  } finally {
    await context.http.close();
  }
}
