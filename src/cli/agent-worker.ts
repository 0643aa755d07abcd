import { enableCompileCache, flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { WorkerStart, WorkerTask } from '#flows/agent-worker/worker-protocol';
import { findOwnModules } from './own-modules.ts';

/** The entry of a worker thread. A thread does not share the compile cache of the main thread by itself. */
if (parentPort) {
  const port = parentPort;
  const { compileCache, ...start } = workerData as WorkerStart;
  if (compileCache !== undefined) enableCompileCache(compileCache);
  const endOwn = findOwnModules();
  const { loadOwnCode, serveAgent } = await import('./worker/agent-in-worker.ts');
  await loadOwnCode(start);
  // From here on the thread loads the code of a customer.
  endOwn();
  // A worker that is terminated writes nothing any more. The first time this takes a while, too.
  flushCompileCache();
  port.once('message', (task: WorkerTask) => serveAgent(port, { ...task, savedSchema: start.savedSchema }));
}
