import { setTimeout as delay } from 'node:timers/promises';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { CatalogueCache } from './catalogue-cache.ts';
import type { KnownCatalogue } from './catalogue-watch.ts';
import type { SqlCatalogue, SqlEngine } from './sql-engine.ts';

/** Milliseconds before the second try; each further pause is twice as long. */
const firstPauseMs = 250;
const defaultStartupTimeoutMs = 10_000;

export interface ReadCatalogueOptions {
  readonly cache?: CatalogueCache | undefined;
  /** How long a database that may be starting is tried again, in milliseconds; `0` for not at all. Default 10 000. */
  readonly startupTimeoutMs?: number | undefined;
}

/** A catalogue, and the fingerprint that the database had before it was read. */
export interface ReadCatalogue extends SqlCatalogue, KnownCatalogue {}

/**
 * The catalogue of a database: the cached one when the database has not changed, else as it is now. A database that cannot be
 * reached is taken as it was last time, with a warning, and its queries work as soon as it is back. One that was never read is
 * tried again for a while. A cache that cannot be used is a warning. Rejects with `DATABASE_…`.
 */
export async function readCatalogue(
  engine: SqlEngine,
  { cache, startupTimeoutMs = defaultStartupTimeoutMs }: ReadCatalogueOptions = {},
): Promise<ReadCatalogue> {
  const warnings = new Set<string>();
  const tolerantCache = cache && tolerant(cache, (warning) => warnings.add(warning));
  const catalogue = await catalogueOf(engine, tolerantCache, startupTimeoutMs);
  return { ...catalogue, warnings: [...catalogue.warnings, ...warnings] };
}

/** A file that cannot be used costs time at every start, and is not a reason not to start. */
function tolerant(cache: CatalogueCache, warn: (warning: string) => void): CatalogueCache {
  const tolerate = (error: unknown): null => {
    if (!isCloudError(error)) throw error;
    warn(`The catalogue of a database is read again at each start. ${error.message}`);
    return null;
  };
  return {
    read: () => cache.read().catch(tolerate),
    write: async (cached) => {
      await cache.write(cached).catch(tolerate);
    },
  };
}

async function catalogueOf(
  engine: SqlEngine,
  cache: CatalogueCache | undefined,
  startupTimeoutMs: number,
): Promise<ReadCatalogue> {
  const cached = await cache?.read();
  try {
    return await currentCatalogue(engine, cache, cached ?? undefined);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    if (cached) {
      const { fingerprint, catalogue } = cached;
      return { ...catalogue, fingerprint, warnings: [...catalogue.warnings, takenFromLastTime] };
    }
    if (startupTimeoutMs <= 0) throw error;
  }
  return waitForCatalogue(engine, cache, startupTimeoutMs);
}

const takenFromLastTime =
  'A database cannot be reached. Its tables are those of the last time; its data come when it is back.';

async function currentCatalogue(
  engine: SqlEngine,
  cache: CatalogueCache | undefined,
  cached: Awaited<ReturnType<CatalogueCache['read']>> | undefined,
): Promise<ReadCatalogue> {
  // Before the tables: what changes meanwhile is noticed later.
  const fingerprint = await engine.fingerprint();
  if (cached?.fingerprint === fingerprint) return { ...cached.catalogue, fingerprint };
  const catalogue = await engine.introspect();
  await cache?.write({ fingerprint, catalogue });
  return { ...catalogue, fingerprint };
}

async function waitForCatalogue(
  engine: SqlEngine,
  cache: CatalogueCache | undefined,
  timeoutMs: number,
): Promise<ReadCatalogue> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    await delay(Math.min(pauseMs, Math.max(0, deadline - performance.now())));
    try {
      return await currentCatalogue(engine, cache, undefined);
    } catch (error) {
      if (!isUnreachable(error) || performance.now() >= deadline) throw error;
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return isCloudError(error) && error.code === 'DATABASE_UNREACHABLE';
}

/**
 * A warning for each schema without a table: it is often a misspelt name, and the agent would serve nothing of it without a word.
 *
 * @param warn the sentence of an engine, in whose words a schema may be a database.
 */
export function emptySchemaWarnings(
  schemas: readonly string[],
  tables: readonly SqlRow[],
  warn: (schema: string) => string,
): string[] {
  return schemas.filter((schema) => !tables.some((table) => table['schema'] === schema)).map(warn);
}
