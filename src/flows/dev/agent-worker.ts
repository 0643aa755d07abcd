import path from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { reportOfError } from '#kernel/errors/error-report';
import type { AgentRuntime } from '#runtime/index';
import { evaluateBundle, type LoadedBundle } from '#runtime/index';
import type { AgentWorkerData, WorkerCalls, WorkerMessage, WorkerMethod, WorkerRequest } from './worker-protocol.ts';

/** Milliseconds between two beats of the counter the main thread watches. */
const beatMs = 200;
/** Milliseconds between two looks at the catalogue of the databases. */
const catalogueMs = 2_000;

/** Serve an agent from a worker thread: answer the calls of the main thread until it says stop. */
export function runAgentWorker(port: MessagePort, data: AgentWorkerData, runtime: AgentRuntime): void {
  const counter = new Int32Array(data.heartbeat);
  const beat = () => Atomics.add(counter, 0, 1);
  // The first beat says that the modules are loaded; from here on silence is the doing of user code.
  beat();
  const heartbeat = setInterval(beat, beatMs);
  const send = (message: WorkerMessage) => port.postMessage(message);
  let bundle: LoadedBundle | undefined;
  let catalogueWatch: NodeJS.Timeout | undefined;

  const calls: {
    [Method in WorkerMethod]: (input: WorkerCalls[Method]['input']) => Promise<WorkerCalls[Method]['output']>;
  } = {
    async load({ code }) {
      const next = evaluateBundle(code, path.join(data.projectRoot, 'customization.cjs'));
      try {
        const result = await runtime.load(recording(next));
        bundle?.dispose();
        bundle = next;
        return result;
      } catch (error) {
        next.dispose();
        throw error;
      }
    },

    async listen() {
      const urls = await runtime.listen();
      catalogueWatch = await watchCatalogue(runtime, () => send({ kind: 'catalogue-changed' }));
      return { ...urls, agentToken: await runtime.issueAgentToken(), mcpToken: await runtime.issueMcpToken() };
    },

    async diagnose() {
      globalThis.gc?.();
      return {
        heapUsedBytes: process.memoryUsage().heapUsed,
        activeResources: process.getActiveResourcesInfo(),
        databaseConnections: runtime.openConnections(),
      };
    },

    async stop({ drainMs }) {
      clearInterval(catalogueWatch);
      await runtime.stop(drainMs);
      clearInterval(heartbeat);
      return null;
    },
  };

  port.on('message', (request: WorkerRequest) => {
    const call = calls[request.method] as (input: unknown) => Promise<unknown>;
    call(request.input).then(
      (output) => send({ kind: 'answer', id: request.id, output }),
      (error: unknown) => send({ kind: 'refusal', id: request.id, error: reportOfError(error) }),
    );
  });
}

/** What the code creates while it customizes goes when it is replaced; what the agent creates meanwhile stays. */
function recording({ exported, track }: LoadedBundle): unknown {
  return typeof exported === 'function' ? (agent: unknown) => track(() => exported(agent)) : exported;
}

async function watchCatalogue(runtime: AgentRuntime, onChange: () => void): Promise<NodeJS.Timeout> {
  const first = await runtime.catalogueFingerprint();
  const timer = setInterval(async () => {
    if ((await runtime.catalogueFingerprint()) === first) return;
    clearInterval(timer);
    onChange();
  }, catalogueMs);
  return timer;
}
