import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { pairedSpeed } from '../paired-speed.ts';
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
  const question = {
    name: scenario.name,
    asked: (round: number) => scenario.ask(engine.source, round),
    byHand: async (round: number) => scenario.shape(await engine.query(scenario.sql, scenario.values(round))),
    checks: 200,
  };
  const { share, askedUs } = await pairedSpeed(question, isQuick);
  return { [`share.${engineName}.${scenario.name}`]: share, [`${engineName}.${scenario.name}Us`]: askedUs };
}
