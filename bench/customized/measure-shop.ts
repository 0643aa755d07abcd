import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BenchOptions } from '../bench-report.ts';
import { pairedSpeed } from '../paired-speed.ts';
import { type OpenedEngine, openPostgresShop, openSqliteShop } from '../query/engines.ts';
import { postgres, sqlite, tableStatements } from '../query/tables.ts';
import { customizedShop } from './customized-shop.ts';
import { scenarios } from './scenarios.ts';

/** Every order gets a document, and some lists of them. */
const documents = {
  sqlite: `alter table orders add column payload json; update orders set payload = json_object('city', 'c' || (id % 50), 'geo', json_object('lat', id % 90 + 0.5))`,
  postgres: `alter table orders add column payload jsonb; update orders set payload = jsonb_build_object('city', 'c' || (id % 50), 'geo', jsonb_build_object('lat', id % 90 + 0.5)); analyze`,
};

const engines = {
  sqlite: (folder: string, orders: number) =>
    openSqliteShop(folder, [...tableStatements(sqlite, orders), documents.sqlite]),
  postgres: (folder: string, orders: number) =>
    openPostgresShop(folder, [...tableStatements(postgres, orders), documents.postgres]),
};

interface MeasuredShop extends BenchOptions {
  readonly orders: number;
  readonly isMeasured: (scenario: string) => boolean;
}

/** Questions through customized fields, beside statements that somebody would write by hand, on every engine. */
export async function measureShop({ orders, isMeasured, isQuick }: MeasuredShop): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const [name, open] of Object.entries(engines)) {
    const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-bench-'));
    try {
      const engine = await open(folder, orders);
      try {
        Object.assign(figures, await measureEngine(name as keyof typeof engines, engine, isMeasured, isQuick));
      } finally {
        await engine.close();
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const shares = Object.entries(figures).filter(([name]) => name.startsWith('share.'));
  return { 'share.min': Math.min(...shares.map(([, share]) => share)), ...figures };
}

async function measureEngine(
  engineName: keyof typeof engines,
  engine: OpenedEngine,
  isMeasured: MeasuredShop['isMeasured'],
  isQuick: boolean,
) {
  const shop = await customizedShop(engine.source);
  const figures: Record<string, number> = {};
  for (const { name, ask, sql, values, shape, checks = 50 } of scenarios(engineName)) {
    if (!isMeasured(name)) continue;
    const question = {
      name: `${engineName} ${name}`,
      asked: (round: number) => ask(shop, round),
      byHand: async (round: number) => shape(await engine.query(sql, values(round)), round),
      checks,
    };
    const { share, askedUs } = await pairedSpeed(question, isQuick);
    figures[`share.${engineName}.${name}`] = share;
    figures[`${engineName}.${name}Us`] = askedUs;
  }
  return figures;
}
