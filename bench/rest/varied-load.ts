import { strict as assert } from 'node:assert';
import { median, rounded } from '../statistics.ts';
import { connections, type Load, loadVaried } from './load.ts';
import { cpuSecondsOf, residentMb } from './process-use.ts';
import type { ProcessTarget, Target } from './target.ts';
import { variedAddresses, variedScenarios } from './varied.ts';

/** The same where no address comes twice in a row and no two connections follow the same order. */
export async function measureVaried(
  floor: ProcessTarget,
  agent: ProcessTarget,
  isQuick: boolean,
): Promise<Record<string, number>> {
  const rounds = isQuick ? 4 : 6;
  const seconds = isQuick ? 1 : 3;
  const figures: Record<string, number> = {};
  const p99Ratios: number[] = [];
  for (const name of variedScenarios) {
    for (const target of variedAddresses(name, connections).slice(0, 20)) await assertSameBody(floor, agent, target);
    for (const server of [floor, agent]) await loadVaried(server, name, isQuick ? 3 : 8);
    const pairs: { readonly base: VariedLoad; readonly measured: VariedLoad }[] = [];
    for (let round = 0; round < rounds; round++) {
      // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
      const first = await loadProcess(round % 2 === 0 ? floor : agent, name, seconds);
      const second = await loadProcess(round % 2 === 0 ? agent : floor, name, seconds);
      pairs.push(round % 2 === 0 ? { base: first, measured: second } : { base: second, measured: first });
    }
    figures[`cpuRatio.${name}`] = rounded(median(pairs.map(({ base, measured }) => measured.cpuMs / base.cpuMs)));
    figures[`varied.${name}`] = rounded(median(pairs.map(({ base, measured }) => measured.rate / base.rate)));
    const p99Ms = (server: 'base' | 'measured') => median(pairs.map((pair) => pair[server].p99Ms));
    figures[`varied.${name}P99Ms`] = rounded(p99Ms('measured'));
    figures[`varied.${name}FloorP99Ms`] = rounded(p99Ms('base'));
    p99Ratios.push(p99Ms('measured') / p99Ms('base'));
  }
  const rssRatio = (await residentMb(agent.pid)) / (await residentMb(floor.pid));
  return { ...figures, 'varied.p99Ratio': rounded(Math.max(...p99Ratios)), rssRatio: rounded(rssRatio) };
}

/** With the processor time that a thousand requests took the server. */
type VariedLoad = Load & { readonly cpuMs: number };

async function loadProcess(server: ProcessTarget, scenario: string, seconds: number): Promise<VariedLoad> {
  const before = await cpuSecondsOf(server.pid);
  const done = await loadVaried(server, scenario, seconds);
  return { ...done, cpuMs: (((await cpuSecondsOf(server.pid)) - before) * 1e6) / done.requests };
}

/** Both have to send the same records; what one leaves unsaid, such as empty relations, is not compared. */
export async function assertSameBody(floor: Target, agent: Target, target: string): Promise<void> {
  const [expected, found] = await Promise.all(
    [floor, agent].map(async ({ base, headers }) => {
      const response = await fetch(base + target, { headers });
      return (await response.json()) as { data?: unknown; count?: number };
    }),
  );
  assert.deepEqual(attributesOf(found?.data) ?? found?.count, attributesOf(expected?.data) ?? expected?.count, target);
}

function attributesOf(data: unknown): unknown {
  if (data === undefined) return undefined;
  const records = (Array.isArray(data) ? data : [data]) as { id: string; attributes: unknown }[];
  return JSON.parse(JSON.stringify(records.map(({ id, attributes }) => ({ id, attributes }))));
}
