import type { DevEvent } from '#flows/dev/dev-event';
import type { DevInput } from '#flows/dev/dev-input';
import { untilAborted } from '#flows/lifetime';
import { systemTimers } from '#node/system/system-timers';
import { collectYoungAtRest, giveBackMemoryAtRest, limitYoungGeneration } from '#node/system/thread-memory';
import type { CliContext } from '../invocation/cli-context.ts';
import { developerOf } from '../invocation/developer.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { createDevScreen } from '../rendering/dev-screen.ts';
import { errorJson } from '../rendering/render-error.ts';
import { listenToKeys } from '../terminal/keys.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Milliseconds that requests in flight are given; together with the rest the session ends within a second. */
const drainMs = 800;

/** Events that tell of code in service. */
const loads: ReadonlySet<DevEvent['event']> = new Set(['ready', 'reloaded', 'restarted']);

type Prepared = Omit<DevInput, 'folder' | 'ports'>;

/** Run a flow that serves until it is stopped, with the events on the screen or as JSON lines, and the keys. */
export async function runDev(
  invocation: Invocation,
  context: CliContext,
  serve: (prepared: Prepared) => Promise<void>,
  isOnce = false,
): Promise<void> {
  // What ends by itself goes on to its end, so that its exit code is true.
  if (isOnce) invocation.environment.onOutputLost(() => undefined);
  else invocation.endUnread();
  limitYoungGeneration();
  const onLoadOver = [collectYoungAtRest(systemTimers), giveBackMemoryAtRest(systemTimers)];
  const { terminal } = invocation;
  const quit = new AbortController();
  const developer = await developerOf(context);
  const hasKeys = context.isInteractive && !terminal.isJson;
  const screen = createDevScreen(terminal, {
    version: context.package.version,
    workingFolder: context.workingFolder,
    hasKeys,
  });
  let stopKeys: (() => void) | undefined;
  void untilAborted(invocation.interrupted).then(() => quit.abort());
  try {
    await serve({
      developer,
      shouldWaitForFix: hasKeys,
      drainMs,
      signal: quit.signal,
      tell(event) {
        if (loads.has(event.event)) for (const worked of onLoadOver) worked();
        if (terminal.isJson) devEventJson(event, terminal);
        else screen.show(event);
      },
      onRunning(controls) {
        if (!hasKeys) return;
        stopKeys = listenToKeys({
          r: controls.reload,
          t: screen.showTokens,
          o: () => screen.showSignIn(controls.makeSignInLink?.()),
          q: () => quit.abort(),
          '?': screen.showKeys,
          interrupt: invocation.interrupt,
        });
      },
    });
  } finally {
    stopKeys?.();
    screen.close();
    await context.http.close();
  }
}

/** A `dev` event as a line of JSON. What user code prints goes to stderr, so that stdout holds events only. */
function devEventJson(event: DevEvent, terminal: Pick<Terminal, 'json'>): void {
  if (event.event === 'output') process.stderr.write(event.text);
  else if ('error' in event) terminal.json({ ...event, ...errorJson(event.error) });
  else terminal.json(event);
}
