import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DevSession, devSessionFile, devSessionSchema } from '#contracts/dev-session';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

export interface DevLock {
  /** Tell other commands where the servers are. */
  publish(servers: NonNullable<DevSession['servers']>): Promise<void>;
  /** Tell the next session that this one ends, so that it waits. */
  announceEnd(): Promise<void>;
  release(): Promise<void>;
}

/** How long a session that ends is waited for, and one that has perhaps not heard of its end yet. In milliseconds. */
const patience = { endingMs: 60_000, servingMs: 2_000 };
const lookMs = 50;

/**
 * Take the lock of a project, or refuse with `PROJECT_IN_USE`. A session that ends is waited for. What a crashed session left behind is
 * cleared, and the folder of the lock becomes private, because the store of the local platform is in it too.
 */
export async function takeDevLock(context: FlowContext, projectRoot: string): Promise<DevLock> {
  const { fs, clock, pid } = context;
  const file = path.join(projectRoot, devSessionFile);
  const session: DevSession = { pid, startedAt: new Date(clock.now()).toISOString() };
  await fs.makePrivateFolder(path.dirname(file));
  const write = () => fs.createExclusively(file, JSON.stringify(session), { mode: 0o600 });
  if (!(await write())) {
    const running = await untilReleased(context, projectRoot);
    if (running) throw inUse(projectRoot, running.pid);
    await fs.remove(file);
    if (!(await write())) throw inUse(projectRoot, null);
  }
  const update = (further: Partial<DevSession>) =>
    fs.writeAtomically(file, JSON.stringify({ ...session, ...further }), { mode: 0o600 });
  return {
    publish: (servers) => update({ servers }),
    async announceEnd() {
      // Whoever removed the folder meanwhile shall not find it again.
      if (await fs.exists(file)) await update({ isEnding: true });
    },
    release: () => fs.remove(file),
  };
}

/** Wait for the end of the session that serves the project. Resolves with the session where it goes on. */
async function untilReleased(context: FlowContext, projectRoot: string): Promise<DevSession | null> {
  const found = await readDevSession(context, projectRoot);
  if (!found) return null;
  const start = context.clock.monotonicMs();
  const wait = async (): Promise<DevSession | null> => {
    for (;;) {
      const running = await readDevSession(context, projectRoot);
      if (!running || running.pid !== found.pid) return running;
      const patienceMs = running.isEnding ? patience.endingMs : patience.servingMs;
      if (context.clock.monotonicMs() - start >= patienceMs) return running;
      await delay(lookMs);
    }
  };
  return context.reporter.step(`Waiting for process ${found.pid}, which serves the project, to end`, wait);
}

/** The session that serves the project now, or `null`. */
export async function readDevSession(context: FlowContext, projectRoot: string): Promise<DevSession | null> {
  const text = await context.fs.readText(path.join(projectRoot, devSessionFile));
  if (text === null) return null;
  const session = devSessionSchema.safeParse(parsed(text));
  if (!session.success) return null;
  const { pid, startedAt } = session.data;
  return (await context.isProcessAlive(pid, Date.parse(startedAt))) ? session.data : null;
}

/** A session file cut short by a crash is not a session. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function inUse(projectRoot: string, pid: number | null): CloudError {
  return cloudError(
    'PROJECT_IN_USE',
    `Another "vendor-cloud dev" or "sandbox"${pid === null ? '' : ` (process ${pid})`} serves ${projectRoot}.`,
    pid === null ? 'Wait for it to start, then use its servers.' : `Use its servers, or stop it: kill ${pid}`,
    { safeDetails: { pid } },
  );
}
