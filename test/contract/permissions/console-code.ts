import path from 'node:path';
import type { VisibleCollection } from '#contracts/visible-schema';
import { type AskedRequest, requestsPath } from './shop-agent.ts';

const agent = { environment: 'development' };

type Parameters = Readonly<Record<string, string | undefined>>;

interface Question {
  readonly method?: 'POST' | 'DELETE';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Page {
  readonly rows: readonly { readonly values: Readonly<Record<string, unknown>> }[];
}

type Agent = typeof agent;
type Column = { readonly name: string };

/** What of the code of the console makes requests. It is code of browsers, with types of its own. */
interface ConsoleModules {
  readonly askAgent: (agent: Agent, parts: readonly string[], parameters?: Parameters, question?: Question) => unknown;
  readonly ask: (path: string) => unknown;
  readonly listRecords: (agent: Agent, parts: readonly string[], parameters: Parameters, question: Question) => unknown;
  readonly countRecords: (
    agent: Agent,
    parts: readonly string[],
    parameters: Parameters,
    signal: AbortSignal,
  ) => unknown;
  readonly getRecord: (agent: Agent, collection: string, id: string, question: Question) => unknown;
  readonly projection: (paths: readonly string[]) => Readonly<Record<string, string>>;
  readonly columnsOf: (collection: VisibleCollection) => readonly Column[];
  readonly projectionOf: (collection: VisibleCollection, columns: readonly Column[]) => readonly string[];
  readonly appliedFilters: (text: string | undefined, collection: VisibleCollection) => string | undefined;
  readonly setAgents: (environments: readonly []) => void;
  readonly setZone: (zone: string) => void;
}

export type { Page, Parameters };

/** What an agent answers to a request. */
type Ask = (request: AskedRequest) => Promise<{ readonly status: number; readonly body: string }>;

/** The code of the console, which asks the agent that `use` has named last. */
export async function loadConsoleCode(stubGlobal: (name: 'fetch' | 'localStorage', value: unknown) => void) {
  // The agent of the shop has no replicas, so that nothing is kept.
  stubGlobal('localStorage', { getItem: () => null });
  const folder = path.resolve(import.meta.dirname, '../../../src/console');
  const files = ['wire/http.ts', 'wire/agent.ts', 'wire/records.ts', 'model/schema.ts', 'grid/filter-tree.ts'];
  const loaded = await Promise.all(files.map((file) => import(path.join(folder, file)) as Promise<object>));
  const code = Object.assign({}, ...loaded) as ConsoleModules;
  let ask: Ask | undefined;
  const answerOf: typeof globalThis.fetch = async (url, { method = 'GET', headers, body } = {}) => {
    if (!ask) throw new TypeError('No agent is asked.');
    const prefix = `/console/agent/${agent.environment}/`;
    const isOfPlatform = url === requestsPath;
    if (typeof url !== 'string' || !(isOfPlatform || url.startsWith(prefix)))
      throw new TypeError(`The console asks for ${String(url)}.`);
    const answer = await ask({
      url: isOfPlatform ? requestsPath : `/service/${url.slice(prefix.length)}`,
      headers: Object.fromEntries(new Headers(headers)),
      ...(method === 'GET' ? {} : { method: method as 'POST' }),
      ...(typeof body === 'string' ? { body: JSON.parse(body) as unknown } : {}),
    });
    return new Response(answer.body === '' ? null : answer.body, { status: answer.status });
  };
  stubGlobal('fetch', answerOf);
  code.setAgents([]);
  code.setZone('UTC');
  return {
    ...code,
    agent,
    use: (next: Ask) => {
      ask = next;
    },
  };
}

export type ConsoleCode = Awaited<ReturnType<typeof loadConsoleCode>>;
