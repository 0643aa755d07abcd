import { strict as assert } from 'node:assert';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { median, rounded } from '../statistics.ts';
import { measureFieldRules } from './field-rules.ts';
import { measureDurableWrites, measureExport, measureMixed, measureWriters } from './heavy-load.ts';
import { connections, type Load, load, loadVaried } from './load.ts';
import { measureOutbox } from './outbox-share.ts';
import { startPlatform } from './platform.ts';
import { cpuSecondsOf, residentMb } from './process-use.ts';
import { measureRecording } from './recording.ts';
import { startAgent } from './start-agent.ts';
import type { ProcessTarget, Scenario, Target } from './target.ts';
import { variedAddresses, variedScenarios } from './varied.ts';

const here = import.meta.dirname;
const floorPort = 4311;

/** The REST API of an agent in production, as a share of a bare server that sends the same bodies. */
export async function benchRest({ isQuick }: BenchOptions): Promise<BenchReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const postgres = await startPostgres(folder);
    stops.push(() => postgres.stop());
    await postgres.execute([await readFile(path.join(here, 'shop.sql'), 'utf8')]);
    const platform = await startPlatform();
    stops.push(() => platform.stop());
    const floor = await startFloor(postgres.uri, stops);
    const agent = await startAgent(postgres.uri, platform.url, folder, stops);
    const all = await scenarios();
    const shares = await measure(all, floor, agent, isQuick);
    const varied = await measureVaried(floor, agent, isQuick);
    const ruled = await measureFieldRules(agent, isQuick);
    const pair = await startAgent(postgres.uri, platform.url, folder, stops, { SILENT_TOO: 'yes' });
    const outbox = await measureOutbox(all, pair, isQuick);
    const durable = await measureDurableWrites(pair, isQuick);
    const unshared = await startAgent(postgres.uri, platform.url, folder, stops, { SHARE_CONNECTIONS: 'no' });
    const sharing = await measureSharing(agent, unshared, isQuick);
    const recording = await measureRecording(postgres.uri, folder, stops, isQuick);
    const exported = await measureExport(agent);
    const written = await measureWriters(floor, agent, isQuick);
    let mixed: Record<string, number> = {};
    const spent = await agent.profile(async () => {
      mixed = await measureMixed(floor, agent, all, isQuick);
    });
    const purposes = Object.entries(spent).map(([purpose, share]) => [`time.${purpose}`, rounded(share)] as const);
    return {
      name: 'rest',
      figures: {
        ...shares,
        ...varied,
        ...ruled,
        ...outbox,
        ...durable,
        ...sharing,
        ...recording,
        ...exported,
        ...written,
        ...mixed,
        ...Object.fromEntries(purposes),
      },
    };
  } finally {
    for (const stop of stops.toReversed()) await stop();
  }
}

async function measure(all: readonly Scenario[], floor: Target, agent: Target, isQuick: boolean) {
  const rounds = isQuick ? 3 : 5;
  const seconds = isQuick ? 1 : 3;
  const figures: Record<string, number> = {};
  for (const { name, path: target } of all) {
    await assertSameBody(floor, agent, target);
    // A server runs for days: how fast it is before its code is compiled is another question.
    for (const server of [floor, agent]) await load(server, target, isQuick ? 3 : 8);
    const shares: number[] = [];
    const rates: number[] = [];
    const latencies: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const base = await load(floor, target, seconds);
      const measured = await load(agent, target, seconds);
      shares.push(measured.rate / base.rate);
      rates.push(measured.rate);
      latencies.push(measured.p99Ms);
    }
    figures[`share.${name}`] = rounded(median(shares));
    figures[`${name}PerSecond`] = rounded(median(rates));
    figures[`${name}P99Ms`] = rounded(median(latencies));
  }
  const shares = Object.entries(figures).filter(([name]) => name.startsWith('share.'));
  return { ...figures, 'share.min': Math.min(...shares.map(([, share]) => share)) };
}

/** The same where no address comes twice in a row and no two connections follow the same order. */
async function measureVaried(
  floor: ProcessTarget,
  agent: ProcessTarget,
  isQuick: boolean,
): Promise<Record<string, number>> {
  const rounds = isQuick ? 3 : 5;
  const seconds = isQuick ? 1 : 3;
  const figures: Record<string, number> = {};
  const p99Ratios: number[] = [];
  for (const name of variedScenarios) {
    for (const target of variedAddresses(name, connections).slice(0, 20)) await assertSameBody(floor, agent, target);
    for (const server of [floor, agent]) await loadVaried(server, name, isQuick ? 3 : 8);
    const pairs: { readonly base: VariedLoad; readonly measured: VariedLoad }[] = [];
    for (let round = 0; round < rounds; round++) {
      pairs.push({ base: await loadProcess(floor, name, seconds), measured: await loadProcess(agent, name, seconds) });
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

/** What it is worth that quick reads share connections: the rate with it over the rate without it. */
async function measureSharing(agent: Target, unshared: Target, isQuick: boolean): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const name of variedScenarios) {
    await loadVaried(unshared, name, isQuick ? 2 : 8);
    const ratios: number[] = [];
    for (let round = 0; round < (isQuick ? 2 : 5); round++) {
      const without = await loadVaried(unshared, name, isQuick ? 1 : 3);
      ratios.push((await loadVaried(agent, name, isQuick ? 1 : 3)).rate / without.rate);
    }
    figures[`sharing.${name}`] = rounded(median(ratios));
  }
  return figures;
}

/** Both have to send the same records; what one leaves unsaid, such as empty relations, is not compared. */
async function assertSameBody(floor: Target, agent: Target, target: string): Promise<void> {
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

async function startFloor(databaseUrl: string, stops: (() => Promise<unknown>)[]): Promise<ProcessTarget> {
  const child = execa(process.execPath, [path.join(here, 'floor.js')], {
    env: { DATABASE_URL: databaseUrl, PORT: String(floorPort) },
    reject: false,
  });
  stops.push(async () => {
    child.kill();
    await child;
  });
  const base = `http://127.0.0.1:${floorPort}/service`;
  for (let attempt = 0; ; attempt++) {
    const isUp = await fetch(`${base}/customers/count`).then(
      (response) => response.ok,
      () => false,
    );
    if (isUp) return { base, headers: {}, pid: child.pid ?? 0 };
    assert.ok(attempt < 100, 'The floor server does not answer.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function scenarios(): Promise<readonly Scenario[]> {
  const text = await readFile(path.join(here, 'scenarios.txt'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', target = ''] = line.split(/ (.*)/s);
      return { name, path: target };
    });
}
