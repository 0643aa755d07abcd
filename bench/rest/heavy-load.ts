import { strict as assert } from 'node:assert';
import autocannon from 'autocannon';
import { median, rounded } from '../statistics.ts';
import { type Load, loadOf } from './load.ts';
import { residentMb } from './process-use.ts';
import type { AgentTarget, Scenario, Target } from './target.ts';

const exportedOrders = 200_000;
const writers = 64;
const customers = 50_000;

/** An export of every order: how fast it comes, and how much more memory it takes. */
export async function measureExport({ base, headers, pid }: AgentTarget): Promise<Record<string, number>> {
  const before = await residentMb(pid);
  let peak = before;
  const watch = setInterval(() => void residentMb(pid).then((mb) => (peak = Math.max(peak, mb))), 50);
  const startedAt = performance.now();
  const target =
    '/orders.csv?fields[orders]=id,status,total,placed_at,notes&header=Id,Status,Total,At,Notes&timezone=UTC';
  const response = await fetch(base + target, { headers });
  let lines = 0;
  for await (const part of response.body ?? []) for (const byte of part as Uint8Array) if (byte === 10) lines += 1;
  clearInterval(watch);
  assert.equal(lines, exportedOrders + 1);
  const seconds = (performance.now() - startedAt) / 1000;
  return { csvRowsPerSecond: rounded(exportedOrders / seconds), csvMemoryMb: rounded(peak - before) };
}

/** Updates of records chosen at random, by many clients at once. */
async function loadWriters({ base, headers }: Target, seconds: number): Promise<Load> {
  const result = await autocannon({
    url: base,
    connections: writers,
    duration: seconds,
    requests: [updateRequest(headers)],
  });
  return loadOf(result, 'A write');
}

/** Writes, and how many more or less they are than those of the bare server, which waits for the database only. */
export async function measureWriters(floor: Target, agent: Target, isQuick: boolean): Promise<Record<string, number>> {
  const { ratio, measured } = await beside(floor, agent, isQuick, loadWriters);
  return { writes64Ratio: ratio, writesPerSecond64: measured.rate, writeP99Ms64: measured.p99Ms };
}

/** The same of some kind of load, in pairs whose order alternates. */
async function beside(
  floor: Target,
  agent: Target,
  isQuick: boolean,
  load: (target: Target, seconds: number) => Promise<Load>,
): Promise<{ readonly ratio: number; readonly measured: Load }> {
  for (const target of [floor, agent]) await load(target, isQuick ? 2 : 8);
  const ratios: number[] = [];
  const measured: Load[] = [];
  for (let round = 0; round < (isQuick ? 2 : 6); round++) {
    const loads = new Map<Target, Load>();
    for (const target of round % 2 === 0 ? [floor, agent] : [agent, floor]) {
      loads.set(target, await load(target, isQuick ? 2 : 5));
    }
    const own = loads.get(agent);
    assert.ok(own);
    measured.push(own);
    ratios.push(own.rate / (loads.get(floor)?.rate ?? 1));
  }
  const medianOf = (figure: keyof Load) => rounded(median(measured.map((each) => each[figure])));
  return {
    ratio: rounded(median(ratios)),
    measured: { rate: medianOf('rate'), requests: medianOf('requests'), p99Ms: medianOf('p99Ms') },
  };
}

/**
 * The rate of writes that wait until their reports are on the disk, over the rate of writes that do not, by 64 clients: of two
 * agents in one process, in pairs whose order alternates.
 */
export async function measureDurableWrites(agent: AgentTarget, isQuick: boolean): Promise<Record<string, number>> {
  const { lazy } = agent;
  assert.ok(lazy, 'There is no agent whose writes do not wait.');
  for (const target of [agent, lazy]) await loadWriters(target, isQuick ? 3 : 8);
  const shares: number[] = [];
  for (let round = 0; round < (isQuick ? 4 : 20); round++) {
    const order = round % 2 === 0 ? [agent, lazy] : [lazy, agent];
    const rates = new Map<Target, number>();
    for (const target of order) rates.set(target, (await loadWriters(target, 2)).rate);
    shares.push((rates.get(agent) ?? 0) / (rates.get(lazy) ?? 1));
  }
  return { durableShare: rounded(median(shares)) };
}

/** All scenarios and updates in turn, as people would use it. */
export async function measureMixed(
  floor: Target,
  agent: AgentTarget,
  scenarios: readonly Scenario[],
  isQuick: boolean,
): Promise<Record<string, number>> {
  const mixed = async ({ base, headers }: Target, seconds: number) => {
    const prefix = new URL(base).pathname;
    const reads = scenarios.map(({ path }) => ({ method: 'GET' as const, path: prefix + path, headers }));
    const requests = [...reads, updateRequest(headers)];
    return loadOf(await autocannon({ url: base, connections: 20, duration: seconds, requests }), 'The mixed load');
  };
  const { ratio, measured } = await beside(floor, agent, isQuick, mixed);
  return { mixedRatio: ratio, mixedPerSecond: measured.rate, mixedP99Ms: measured.p99Ms };
}

function updateRequest(headers: Readonly<Record<string, string>>): autocannon.Request {
  return {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    setupRequest: (request) => {
      const id = 1 + Math.floor(Math.random() * customers);
      const data = { id: String(id), type: 'customers', attributes: { country: `C${id % 7}` } };
      return { ...request, path: `/service/customers/${id}?timezone=UTC`, body: JSON.stringify({ data }) };
    },
  };
}
