import { EventEmitter, once } from 'node:events';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { dev } from '#flows/dev/dev';
import type { FlowContext } from '#flows/flow-context';
import { push } from '#flows/push/push';
import { moduleUrl, packageRoot } from '#node/system/package-files';
import { flowContext } from '../../test/helpers/flow-context.ts';

/** What is done again and again to a sample project while it is traced. */
interface TracedWork {
  work(): Promise<void>;
  stop(): Promise<void>;
}

interface SampleProject {
  readonly root: string;
  readonly context: FlowContext;
  /** Change the code; no two changes are the same. */
  edit(): Promise<void>;
  remove(): Promise<void>;
}

/** Saves in a project that `dev` serves in this process, with its agent in a worker thread. A save is over when the new code serves. */
export async function startTracedSaves(): Promise<TracedWork> {
  const { root, context, edit, remove } = await createSampleProject();
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
    // Breakpoints hold the worker.
    isDebugged: true,
    signal: quit.signal,
    tell: (event) => void told.emit(event.event === 'error' ? 'failed' : event.event, event),
  });
  await Promise.race([ready, session]);
  return {
    async work() {
      const reloaded = once(told, 'reloaded');
      await edit();
      await reloaded;
    },
    async stop() {
      quit.abort();
      await session;
      await remove();
    },
  };
}

/** Pushes of new code to a platform in a process of its own, whose files are not those of the command. */
export async function startTracedPushes(): Promise<TracedWork> {
  const { root, context, edit, remove } = await createSampleProject();
  const command = path.join(packageRoot, 'bin/vendor-cloud.js');
  const platform = execa(process.execPath, [command, 'sandbox', '--project', root, '--json', '--port', '0'], {
    buffer: false,
    reject: false,
    stderr: 'inherit',
  });
  await Promise.race([once(createInterface(platform.stdout), 'line'), platform.then(() => Promise.reject(ended()))]);
  return {
    async work() {
      await edit();
      await push(context, { folder: root, message: 'Traced.', isDeployed: true });
    },
    async stop() {
      platform.kill('SIGTERM');
      await platform;
      await remove();
    },
  };
}

async function createSampleProject(): Promise<SampleProject> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-trace-'));
  const { path: root } = await bootstrap(flowContext(folder), { directory: 'shop', template: 'shop' });
  let edits = 0;
  return {
    root,
    // The trace knows the files of the sources only, so the worker runs those and not the built ones.
    context: { ...flowContext(root), agentWorkerUrl: moduleUrl('#cli/agent-worker') },
    edit: () => appendFile(path.join(root, 'src/index.ts'), `export const edit${++edits} = ${edits};\n`),
    remove: () => rm(folder, { recursive: true }),
  };
}

function ended(): Error {
  return new Error('The platform ended before it listened.');
}
