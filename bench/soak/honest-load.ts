import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';

export const orderCount = 2_000;

/** What honest clients met. */
export interface Tally {
  readonly millis: number[];
  /** Answers that are not successful, by status and code. */
  readonly refused: Map<string, number>;
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly target: string;
  readonly body?: unknown;
}

const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(Math.random() * values.length)] as Value;
const anyId = () => 1 + Math.floor(Math.random() * orderCount);

/** What people do, at random. */
function anyRequest(): Asked {
  const id = anyId();
  const filters = encodeURIComponent(JSON.stringify({ field: 'total', operator: 'greater_than', value: id }));
  return pick<Asked>([
    { method: 'GET', target: `/orders?fields[orders]=id,ref,revision&page[size]=15&page[number]=${1 + (id % 20)}` },
    { method: 'GET', target: `/orders?fields[orders]=id,ref&sort=-total&filters=${filters}` },
    { method: 'GET', target: `/orders/${id}?fields[orders]=id,ref,status` },
    { method: 'GET', target: '/orders/count' },
    { method: 'GET', target: `/orders?search=ref-${id}&fields[orders]=id,ref` },
    {
      method: 'PUT',
      target: `/orders/${id}`,
      body: { data: { id: String(id), type: 'orders', attributes: { total: id } } },
    },
    {
      method: 'POST',
      target: '/_actions/orders/0/touch',
      body: { data: { attributes: { ids: [String(id)], collection_name: 'orders', values: {} } } },
    },
  ]);
}

/**
 * Ask one request after the other until `signal` ends it.
 *
 * @param agent its URL and a token for it.
 */
export async function askHonestly(
  agent: { readonly url: string; readonly token: string },
  signal: AbortSignal,
  tally: Tally,
): Promise<void> {
  const headers = { authorization: `Bearer ${agent.token}`, 'content-type': 'application/json' };
  while (!signal.aborted) {
    const { method, target, body } = anyRequest();
    const url = `${agent.url}${target}${target.includes('?') ? '&' : '?'}timezone=UTC`;
    const start = performance.now();
    try {
      const answer = await request(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
      const text = await answer.body.text();
      tally.millis.push(performance.now() - start);
      if (answer.statusCode >= 300) count(tally.refused, `${method} ${answer.statusCode} ${codeIn(text)}`);
    } catch (error) {
      count(tally.refused, `${method} ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(Math.random() * 10);
  }
}

function codeIn(text: string): string {
  return /"code":"([A-Z_]+)"/.exec(text)?.[1] ?? text.slice(0, 80);
}

function count(tally: Map<string, number>, key: string): void {
  tally.set(key, (tally.get(key) ?? 0) + 1);
}
