import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import { openPostgresEngine } from '#runtime/data-sources/postgres/open-postgres-engine';
import { createDataSourceOn } from '#runtime/data-sources/sql/sql-data-source';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

const schema = (collation = '') => `
  create extension pg_trgm;
  create table owners (id int primary key, label text);
  create table people (id int primary key, name text, note text, owner_id int references owners (id));
  insert into owners select i, md5(i::text) from generate_series(1, 20) i;
  insert into people select i, md5(i::text), md5((-i)::text), 1 + i % 20 from generate_series(1, 20000) i;
  create index by_name on people using gin (name ${collation} gin_trgm_ops);
  create index by_note on people using gin (note ${collation} gin_trgm_ops);
  analyze;`;

async function planOf(source: DataSource, where: Parameters<NonNullable<DataSource['explain']>>[0]['where']) {
  const plan = await source.explain?.({ collection: 'people', projection: ['id'], where }, { timezone: 'UTC' });
  return plan?.steps.join('\n');
}

describe('a trigram index of PostgreSQL', () => {
  let source: DataSource;
  beforeAll(async () => {
    // Like nearly every database, and unlike the server of the tests, it knows all letters in its own collation.
    const options = `template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'`;
    await server.execute('postgres', `create database folding ${options}`);
    await server.execute('folding', schema());
    source = await createDataSourceOn(await openPostgresEngine(server.parameters('folding')));
    return () => source.close();
  });

  it.each(['Contains', 'IContains', 'EndsWith', 'IEndsWith'] as const)('serves %s', async (operator) => {
    expect(await planOf(source, { field: 'name', operator, value: 'C4CA42' })).toMatch(/Bitmap Index Scan.*by_name/);
  });

  it('serves a term that is looked for in several columns', async () => {
    const conditions = ['name', 'note'].map((field) => ({ field, operator: 'IContains', value: 'C4CA42' }) as const);
    const plan = await planOf(source, { aggregator: 'Or', conditions });
    expect(plan).toMatch(/BitmapOr[\s\S]*by_name[\s\S]*by_note/);
  });

  it('serves a database that knows only ASCII letters when its own collation knows all', async () => {
    const plain = await server.openDataSource(schema());
    const collated = await server.openDataSource(schema('collate pg_catalog.pg_c_utf8'));
    const where = { field: 'name', operator: 'IContains', value: 'C4CA42' } as const;
    expect(await planOf(plain, where)).toMatch(/Seq Scan/);
    expect(await planOf(collated, where)).toMatch(/Bitmap Index Scan.*by_name/);
  });

  it('is explained with a statement that can be run as it is', async () => {
    const where = { field: 'name', operator: 'IContains', value: 'C4CA42' } as const;
    const query = { collection: 'people', projection: ['id'], where };
    const statementOn = async (asked: DataSource) => (await asked.explain?.(query, { timezone: 'UTC' }))?.sql;
    const withCollation = await statementOn(await server.openDataSource(schema()));
    expect(withCollation).toContain('collate pg_catalog."pg_c_utf8"');
    expect(await statementOn(source)).not.toContain('collate');
  });
});
