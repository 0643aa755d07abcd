import { EventEmitter, once } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { dev } from '#flows/dev/dev';
import { push } from '#flows/push/push';
import { flowContext } from '../../test/helpers/flow-context.ts';

/** A sample project that `dev` serves in this process, with its agent in a worker thread. */
export interface TracedProject {
  /** Save other code than before; resolves when it serves. */
  save(): Promise<void>;
  /** Build the code, and upload it to the local platform. */
  push(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTracedProject(): Promise<TracedProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-trace-'));
  const { path: root } = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  const context = flowContext(root);
  const told = new EventEmitter();
  const quit = new AbortController();
  const anyPort = { port: 0, isExact: false };
  const ready = once(told, 'ready');
  const session = dev(context, {
    folder: root,
    ports: { agent: anyPort, sandbox: anyPort, mcp: anyPort },
    developer: { name: 'Ada Lovelace', email: 'ada@example.test' },
    shouldWaitForFix: false,
    drainMs: 100,
    signal: quit.signal,
    tell: (event) => void told.emit(event.event === 'error' ? 'failed' : event.event, event),
  });
  await Promise.race([ready, session]);
  let saves = 0;
  return {
    async save() {
      const reloaded = once(told, 'reloaded');
      await appendFile(path.join(root, 'src/index.ts'), `export const revision${++saves} = ${saves};\n`);
      await reloaded;
    },
    async push() {
      await push(context, { folder: root, message: 'Traced.', isDeployed: true });
    },
    async stop() {
      quit.abort();
      await session;
      await rm(folder, { recursive: true });
    },
  };
}
