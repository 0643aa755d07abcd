/**
 * Print the source files whose functions run for one thing that somebody does, in the order of their first call:
 *
 *     node --conditions=vendor-source scripts/trace-walk.ts list|get|action|action-without-form|save|push …
 *
 * Requests are asked of a warm agent that serves a SQLite shop in this process, to a role that is not an administrator's.
 * `save` is done in a project that `dev` serves, and runs in the main thread and in the worker of the agent. `push` is the
 * command; its platform runs in another process. Both need `npm run build`.
 */
import { requests, startTracedShop } from './trace-walk/agent-walks.ts';
import { calledFiles } from './trace-walk/called-files.ts';
import { inspectThisThread, inspectWorkerThread } from './trace-walk/inspected-thread.ts';
import { startTracedPushes, startTracedSaves } from './trace-walk/project-walks.ts';

/** The work runs often enough before it is traced that everything it caches is there. */
const warmUps = { request: 20, project: 3 };
/** A file counts when each of this many runs calls it; what a timer calls by chance does not. */
const rounds = 5;

const names = process.argv.slice(2);
const known = new Map(Object.entries(requests));
const wrong = names.filter((name) => !known.has(name) && name !== 'save' && name !== 'push');
if (names.length === 0 || wrong.length > 0) {
  console.error(`Name some of: ${[...known.keys()].join(', ')}, save, push.`);
  process.exit(2);
}

const main = inspectThisThread();
try {
  await traceRequests(names.filter((name) => known.has(name)));
  for (const name of names) if (name === 'save' || name === 'push') await traceProject(name);
} finally {
  main.close();
}

async function traceRequests(wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return;
  const shop = await startTracedShop();
  for (const [name, request] of known) {
    if (!wanted.includes(name)) continue;
    const ask = () => shop.ask(request);
    await repeat(warmUps.request, ask);
    print(name, await calledFiles(main.thread, ask, rounds), ['runtime', 'node', 'kernel']);
  }
  await shop.stop();
}

async function traceProject(name: 'save' | 'push'): Promise<void> {
  const { work, stop } = await (name === 'save' ? startTracedSaves() : startTracedPushes());
  await repeat(warmUps.project, work);
  const all = [
    'cli',
    'flows',
    'project',
    'platform-client',
    'platform',
    'sandbox',
    'runtime',
    'node',
    'kernel',
    'contracts',
  ];
  print(name, await calledFiles(main.thread, work, rounds), all);
  if (name === 'save') {
    const worker = await inspectWorkerThread();
    print('save-in-worker', await calledFiles(worker.thread, work, rounds), all);
    worker.close();
  }
  await stop();
}

async function repeat(times: number, work: () => Promise<unknown>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

function print(walk: string, files: readonly string[], folders: readonly string[]): void {
  console.log(`${walk}:`);
  const counted = files.filter((file) => folders.some((folder) => file.startsWith(`src/${folder}/`)));
  files.forEach((file, index) => void console.log(`${String(index + 1).padStart(3)}  ${file}`));
  console.log(`${counted.length} files of ${folders.map((folder) => `src/${folder}`).join(', ')}\n`);
}
