import { strict as assert } from 'node:assert';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { median, rounded } from '../statistics.ts';
import { type OpenedEngine, openPostgresShop, openSqliteShop } from './engines.ts';
import { type Scenario, scenarios } from './scenarios.ts';

const engines = { sqlite: openSqliteShop, postgres: openPostgresShop };

/** The speed of a data source as a share of a hand-written prepared statement on the same driver, by engine and scenario. */
export async function benchQuery({ isQuick }: BenchOptions): Promise<BenchReport> {
  const figures: Record<string, number> = {};
  for (const [name, open] of Object.entries(engines)) {
    const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
    try {
      const engine = await open(folder);
      try {
        for (const scenario of scenarios) Object.assign(figures, await measure(name, engine, scenario, isQuick));
      } finally {
        await engine.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const shares = Object.entries(figures).filter(([name]) => name.startsWith('share.'));
  return { name: 'query', figures: { 'share.min': Math.min(...shares.map(([, share]) => share)), ...figures } };
}

async function measure(engineName: string, engine: OpenedEngine, scenario: Scenario, isQuick: boolean) {
  const byHand = async (round: number) => scenario.shape(await engine.query(scenario.sql, scenario.values(round)));
  const asked = (round: number) => scenario.ask(engine.source, round);
  for (let round = 0; round < 200; round++) assert.deepEqual(await asked(round), await byHand(round), scenario.name);
  const batches = isQuick ? 8 : 30;
  const size = await batchSize(asked);
  const pairs: { readonly asked: number; readonly byHand: number }[] = [];
  for (let batch = 0; batch < batches; batch++) {
    // Which of the two goes first alternates, so that whatever else the machine does meets both alike.
    const first = await milliseconds(batch % 2 === 0 ? asked : byHand, size);
    const second = await milliseconds(batch % 2 === 0 ? byHand : asked, size);
    pairs.push(batch % 2 === 0 ? { asked: first, byHand: second } : { asked: second, byHand: first });
  }
  const microseconds = (values: readonly number[]) => rounded((median(values) / size) * 1_000);
  return {
    [`share.${engineName}.${scenario.name}`]: rounded(median(pairs.map((pair) => pair.byHand / pair.asked))),
    [`${engineName}.${scenario.name}Us`]: microseconds(pairs.map((pair) => pair.asked)),
  };
}

/** As many queries as take some 50 ms. */
async function batchSize(work: (round: number) => Promise<unknown>): Promise<number> {
  const probe = 50;
  return Math.max(10, Math.round((50 / (await milliseconds(work, probe))) * probe));
}

async function milliseconds(work: (round: number) => Promise<unknown>, rounds: number): Promise<number> {
  const begin = performance.now();
  for (let round = 0; round < rounds; round++) await work(round);
  return performance.now() - begin;
}
