import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import {
  type CatalogueOrigin,
  createCatalogueCache,
} from '../../../../../src/runtime/data-sources/sql/catalogue-cache.ts';
import { readCatalogue } from '../../../../../src/runtime/data-sources/sql/read-catalogue.ts';
import type { SqlCatalogue, SqlEngine } from '../../../../../src/runtime/data-sources/sql/sql-engine.ts';
import { sqliteDialect } from '../../../../../src/runtime/data-sources/sqlite/sqlite-dialect.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

const catalogueNamed = (name: string): SqlCatalogue => ({
  tables: [{ name, isView: false, columns: [], primaryKey: [], foreignKeys: [], uniqueKeys: [] }],
  warnings: [],
});

const unreachable = cloudError('DATABASE_UNREACHABLE', 'Nobody answers.', 'Start the database.');

/** An engine that is asked for its catalogue only, as a database in any state would answer. */
function engineOf(state: {
  fingerprint: string;
  catalogue: SqlCatalogue;
  failures: number;
  reads?: number;
}): SqlEngine {
  const answer = <Answer>(value: Answer) => {
    if (state.failures-- > 0) throw unreachable;
    return value;
  };
  return {
    dialect: sqliteDialect,
    introspect: async () => {
      state.reads = (state.reads ?? 0) + 1;
      return answer(state.catalogue);
    },
    fingerprint: async () => answer(state.fingerprint),
    read: () => Promise.reject(unreachable),
    transaction: () => Promise.reject(unreachable),
    runReadOnly: () => Promise.reject(unreachable),
    openConnections: () => 0,
    close: async () => undefined,
  };
}

const shop: CatalogueOrigin = { dialect: 'postgres', host: 'localhost', port: 5432, database: 'shop', user: 'app' };
const cacheIn = async () => path.join(await temporaryFolder(), 'catalogue.json');

describe('readCatalogue', () => {
  it('reads a catalogue once and again only when its fingerprint changes', async () => {
    const cache = createCatalogueCache(await cacheIn(), shop);
    const state = { fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0, reads: 0 };
    await readCatalogue(engineOf(state), { cache });
    expect(await readCatalogue(engineOf(state), { cache })).toMatchObject(catalogueNamed('first'));
    expect(state.reads).toBe(1);
    const changed = { ...state, fingerprint: 'b', catalogue: catalogueNamed('second') };
    expect(await readCatalogue(engineOf(changed), { cache })).toMatchObject(catalogueNamed('second'));
  });

  it('takes the last one, with a warning, when the database cannot be reached', async () => {
    const cache = createCatalogueCache(await cacheIn(), shop);
    await readCatalogue(engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0 }), { cache });
    const gone = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 99 });
    const { tables, warnings } = await readCatalogue(gone, { cache });
    expect(tables).toMatchObject(catalogueNamed('first').tables);
    expect(warnings).toEqual([expect.stringContaining('cannot be reached')]);
  });

  it('waits for a database that is being started', async () => {
    const starting = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 2 });
    expect(await readCatalogue(starting)).toMatchObject(catalogueNamed('first'));
  });

  it('asks a database once that is not to be waited for', async () => {
    const starting = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 1 });
    await expect(readCatalogue(starting, { startupTimeoutMs: 0 })).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
    expect(await readCatalogue(starting, { startupTimeoutMs: 0 })).toMatchObject(catalogueNamed('first'));
  });

  it('does not wait for a database that answers and refuses', async () => {
    const refusing = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0 });
    const wrong = { ...refusing, introspect: () => Promise.reject(new TypeError('no')) };
    await expect(readCatalogue(wrong)).rejects.toThrow('no');
  });

  it.each(['', '{"key":"another"}', 'damaged'])('reads afresh when the cache holds %j', async (text) => {
    const file = await cacheIn();
    await writeFile(file, text);
    const engine = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0 });
    expect(await readCatalogue(engine, { cache: createCatalogueCache(file, shop) })).toMatchObject(
      catalogueNamed('first'),
    );
    expect(JSON.parse(await readFile(file, 'utf8')).fingerprint).toBe('a');
  });

  it.each<[string, Partial<CatalogueOrigin>]>([
    ['dialect', { dialect: 'mariadb' }],
    ['host', { host: 'db.internal' }],
    ['port', { port: 5433 }],
    ['database', { database: 'billing' }],
    ['user', { user: 'auditor' }],
    ['choice of schemas', { schemas: ['public', 'billing'] }],
  ])('does not take what another %s left in the file', async (_what, changes) => {
    const file = await cacheIn();
    const first = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0 });
    await readCatalogue(first, { cache: createCatalogueCache(file, shop) });
    const second = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('second'), failures: 0 });
    const cache = createCatalogueCache(file, { ...shop, ...changes });
    expect(await readCatalogue(second, { cache })).toMatchObject(catalogueNamed('second'));
  });

  it('reads afresh each time, with a warning, where the file cannot be used', async () => {
    const folder = await temporaryFolder();
    const engine = engineOf({ fingerprint: 'a', catalogue: catalogueNamed('first'), failures: 0 });
    const { tables, warnings } = await readCatalogue(engine, { cache: createCatalogueCache(folder, shop) });
    expect(tables).toMatchObject(catalogueNamed('first').tables);
    expect(warnings).toEqual([
      expect.stringContaining(`${folder} cannot be read: it is a folder.`),
      expect.stringContaining(`${folder} cannot be written: `),
    ]);
  });
});
