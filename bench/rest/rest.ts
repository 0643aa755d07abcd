import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { startPostgres } from '../postgres.ts';
import { median, rounded } from '../statistics.ts';
import { measureFieldRules } from './field-rules.ts';
import { measureDurableWrites, measureExport, measureMixed, measureWriters } from './heavy-load.ts';
import { load, loadVaried } from './load.ts';
import { measureOutbox } from './outbox-share.ts';
import { startPlatform } from './platform.ts';
import { measureRecording } from './recording.ts';
import { measureRivals } from './rivals.ts';
import { measureEngines } from './shop-elsewhere.ts';
import { startAgent, startFloor } from './start-agent.ts';
import type { Scenario, Target } from './target.ts';
import { variedScenarios } from './varied.ts';
import { assertSameBody, measureVaried } from './varied-load.ts';

const here = import.meta.dirname;

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
    const engines = await measureEngines(agent, postgres, platform.url, folder, isQuick);
    // They are installed from npm, which takes minutes.
    const rivals = isQuick ? {} : await measureRivals(agent, postgres.uri, folder);
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
        ...engines,
        ...rivals,
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
    figures[`${name}Bytes`] = await bytesOf(agent, target);
    figures[`${name}BytesWithoutLinks`] = await bytesOf(agent, target, { 'service-links': 'none' });
  }
  const shares = Object.entries(figures).filter(([name]) => name.startsWith('share.'));
  return { ...figures, 'share.min': Math.min(...shares.map(([, share]) => share)) };
}

async function bytesOf({ base, headers }: Target, target: string, more: Target['headers'] = {}): Promise<number> {
  const response = await fetch(base + target, { headers: { ...headers, ...more } });
  return (await response.arrayBuffer()).byteLength;
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
