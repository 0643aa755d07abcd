import { hostname } from 'node:os';
import type { LogInput } from '#flows/audit/connect-to-log';
import type { TailFormat } from '#flows/audit/tail/log-sink';
import { tailLog } from '#flows/audit/tail/tail-log';
import { untilAborted } from '#flows/lifetime';
import type { CliContext } from './context.ts';
import type { Session } from './session.ts';
import { openStdoutSink } from './stdout-sink.ts';

/** A batch that is being sent when Ctrl-C comes is given so many milliseconds. */
const endingMs = 12_000;

export interface TailFlags extends LogInput {
  readonly to: string;
  readonly format: TailFormat | undefined;
  readonly state: string | undefined;
  readonly isFromStart: boolean;
  readonly isOnce: boolean;
}

/** Follow a log until Ctrl-C, or until nothing is new. */
export async function runTailSession(session: Session, context: CliContext, flags: TailFlags): Promise<void> {
  const { terminal } = session;
  session.serve(endingMs);
  const quit = new AbortController();
  void untilAborted(session.interrupted).then(() => quit.abort());
  const isForPeople = !terminal.isJson && flags.format === undefined;
  const to = flags.to === 'stdout' ? openStdoutSink(terminal, isForPeople, () => quit.abort()) : flags.to;
  try {
    const { rows } = await tailLog(context, { ...flags, to, hostname: hostname(), signal: quit.signal });
    if (flags.to !== 'stdout') terminal.note(`Delivered ${rows} rows.`);
  } finally {
    await context.http.close();
  }
}
