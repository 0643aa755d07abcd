import { EventEmitter, once } from 'node:events';
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { dev } from '#flows/dev/dev';
import { push } from '#flows/push/push';
import { moduleUrl } from '#node/system/package-files';
import { flowContext } from '../../test/helpers/flow-context.ts';

/** A sample project that `dev` serves in this process, with its agent in a worker thread. */
export interface TracedProject {
  /** Save other code than before; resolves when it serves. */
  save(): Promise<void>;
  /** Push other code than before to the local platform. */
  push(): Promise<void>;
  stop(): Promise<void>;
}

export async function startTracedProject(): Promise<TracedProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-trace-'));
  const { path: root } = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  // The trace knows the files of the sources only, so the worker runs those and not the built ones.
  const context = { ...flowContext(root), agentWorkerUrl: moduleUrl('#cli/agent-worker') };
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
  let pushes = 0;
  // A copy that dev does not watch, or a push would be traced with the save of what it pushes.
  const copy = path.join(folder, 'copy');
  await cp(root, copy, { recursive: true });
  return {
    async save() {
      const reloaded = once(told, 'reloaded');
      await appendFile(path.join(root, 'src/index.ts'), `export const revision${++saves} = ${saves};\n`);
      await reloaded;
    },
    async push() {
      await appendFile(path.join(copy, 'src/index.ts'), `export const push${++pushes} = ${pushes};\n`);
      await push(context, { folder: copy, message: 'Traced.', isDeployed: true });
    },
    async stop() {
      quit.abort();
      await session;
      await rm(folder, { recursive: true });
    },
  };
}
