import { strict as assert } from 'node:assert';
import autocannon from 'autocannon';
import type { Target } from './target.ts';
import { variedAddresses } from './varied.ts';

export const connections = 20;

export async function loadVaried({ base, headers }: Target, scenario: string, seconds: number): Promise<Load> {
  const prefix = new URL(base).pathname;
  let opened = 0;
  const result = await autocannon({
    url: base,
    connections,
    duration: seconds,
    setupClient: (client) => {
      const addresses = variedAddresses(scenario, opened++ % connections);
      client.setRequests(addresses.map((path) => ({ method: 'GET', path: prefix + path, headers })));
    },
  });
  return loadOf(result, `varied ${scenario}`);
}

/** What a server did under load: requests a second, and the 99th percentile. */
export interface Load {
  readonly rate: number;
  readonly requests: number;
  readonly p99Ms: number;
}

/** Throws where a request was answered otherwise than with success. */
export function loadOf(result: autocannon.Result, name: string): Load {
  assert.equal(
    result.non2xx + result.errors,
    0,
    `${name} failed: ${JSON.stringify(result.statusCodeStats)}, ${result.errors} without an answer`,
  );
  return { rate: result.requests.average, requests: result.requests.total, p99Ms: result.latency.p99 };
}

export async function load({ base, headers }: Target, target: string, seconds: number): Promise<Load> {
  const result = await autocannon({ url: base + target, connections, duration: seconds, headers });
  return loadOf(result, target);
}
