import { setTimeout as pause } from 'node:timers/promises';
import type { OpenReverseProxy, ReverseProxy, ServerBehind } from '#kernel/ports/reverse-proxy';
import type { ReachedAt } from '#runtime/index';
import type { AgentWorkerData, WorkerListening } from '../agent-worker/worker-protocol.ts';
import type { WorkerThread } from '../agent-worker/worker-thread.ts';

const lost = 'The worker that carried out this request ended before it had answered.';
const nextSteps = ['Send it again in a moment. Look first whether a write was done.', 'The terminal says why.'];
/** What a client gets whose request was in flight in a worker that was lost. */
const lostAnswers = {
  agent: {
    errors: [{ name: 'InternalServerError', detail: lost, status: 503, code: 'AGENT_WORKER_LOST', nextSteps }],
  },
  mcp: { jsonrpc: '2.0', id: null, error: { code: -32_603, message: `${lost} ${nextSteps.join(' ')}` } },
};

/** A query needs what is no longer there: the session reads the tables again, and another worker takes over. */
const isOutdated = (body: string) => body.includes('"DATABASE_TABLE_CHANGED"');

const anyPort = { port: 0, isExact: false };
/** Where workers listen. */
export const behindFront = { bindAddress: '127.0.0.1', agentPort: anyPort, mcpPort: anyPort };

/**
 * The addresses of a session. They stay while workers come and go: the main thread holds the ports and the connections of clients, and
 * hands each request to the worker that serves. Requests wait while there is none.
 */
export class AgentFront {
  readonly #proxies: { readonly agent: ReverseProxy; readonly mcp: ReverseProxy };
  /** The servers of each worker that may have requests. */
  readonly #servers = new Map<WorkerThread, readonly ServerBehind[]>();
  /** Where clients reach the servers. */
  readonly reachedAt: ReachedAt;

  private constructor(agent: ReverseProxy, mcp: ReverseProxy, host: string) {
    this.#proxies = { agent, mcp };
    this.reachedAt = { agent: `http://${host}:${agent.port}`, mcp: `http://${host}:${mcp.port}` };
  }

  static async open(
    openProxy: OpenReverseProxy,
    { bindAddress: host, agentPort, mcpPort }: Pick<AgentWorkerData, 'bindAddress' | 'agentPort' | 'mcpPort'>,
  ): Promise<AgentFront> {
    const agent = await openProxy({ host, port: agentPort, lostAnswer: lostAnswers.agent, isOutdated });
    try {
      const mcp = await openProxy({ host, port: mcpPort, lostAnswer: lostAnswers.mcp });
      return new AgentFront(agent, mcp, host);
    } catch (error) {
      await agent.stop(0);
      throw error;
    }
  }

  /** Requests go to this worker from now on, also those that wait. */
  handTo(worker: WorkerThread, { ports }: Pick<WorkerListening, 'ports'>): void {
    if (this.#servers.has(worker)) return;
    const { agent, mcp } = this.#proxies;
    this.#servers.set(worker, [agent.handTo(ports.agent), mcp.handTo(ports.mcp)]);
  }

  /** Resolves when the worker has answered its requests, or after `drainMs`: those that it has not answered then are lost. */
  async drain(worker: WorkerThread, drainMs: number): Promise<void> {
    const servers = this.#servers.get(worker) ?? [];
    const done = new AbortController();
    const deadline = pause(drainMs, undefined, { signal: done.signal }).catch(() => undefined);
    await Promise.race([deadline, Promise.all(servers.map((server) => server.whenIdle()))]);
    done.abort();
    this.lose(worker);
  }

  /** The worker is gone: its requests are answered with 503, and new ones wait unless another worker serves. */
  lose(worker: WorkerThread): void {
    for (const server of this.#servers.get(worker) ?? []) server.lose();
    this.#servers.delete(worker);
  }

  async stop(drainMs: number): Promise<void> {
    await Promise.all([this.#proxies.agent.stop(drainMs), this.#proxies.mcp.stop(drainMs)]);
  }
}
