import { beforeAll, describe, expect, it } from 'vitest';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { Operator } from '#runtime/query/operators';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();

const schema = `
  create extension citext; create type mood as enum ('a', 'b');
  create table t (id int primary key, small smallint, price numeric(10, 2), name text, loud citext, padded char(4), mood mood,
    code uuid, day date, at timestamptz, naive timestamp, tags text[], info jsonb);
  create index by_small on t (small); create index by_price on t (price); create index by_name on t (name);
  create index by_loud on t (loud); create index by_padded on t (padded); create index by_mood on t (mood);
  create index by_code on t (code); create index by_day on t (day); create index by_at on t (at); create index by_naive on t (naive);
  create index by_tags on t using gin (tags);
  create index by_city on t ((info ->> 'city')); create index by_street on t ((info -> 'home' ->> 'street'));
  create table owners (id int primary key, t_id int references t (id), label text);
  create index by_owner on owners (t_id);
  create table labels (id int primary key, word text);
  create table t_labels (t_id int references t (id), label_id int references labels (id), primary key (t_id, label_id));
  do $$ begin execute format('alter database %I set enable_seqscan = off', current_database()); end $$;`;

let source: DataSource;
beforeAll(async () => {
  source = await server.openDataSource(schema);
});

describe('an index of PostgreSQL', () => {
  it.each<[string, Operator, unknown]>([
    ['small', 'Equal', 1],
    ['small', 'In', [1, 2]],
    ['small', 'GreaterThan', 1],
    ['price', 'Equal', '1.5'],
    ['name', 'Equal', 'x'],
    ['name', 'In', ['x', 'y']],
    ['loud', 'Equal', 'x'],
    ['padded', 'Equal', 'x'],
    ['mood', 'Equal', 'a'],
    ['mood', 'In', ['a', 'b']],
    ['code', 'In', ['6f1a9c4e-1111-4222-8333-444455556666']],
    ['day', 'Today', undefined],
    ['day', 'Before', '2024-01-01'],
    ['at', 'PreviousMonth', undefined],
    ['at', 'After', '2024-01-01T00:00:00Z'],
    ['at', 'In', ['2024-01-01T00:00:00Z', '2024-01-02T00:00:00.123456Z']],
    ['naive', 'Equal', '2024-01-01T00:00:00Z'],
    ['naive', 'In', ['2024-01-01T00:00:00Z']],
    ['tags', 'IncludesAll', ['x']],
  ])('serves %s %s %o', async (field, operator, value) => {
    const where = { field, operator, value };
    const plan = await source.explain?.({ collection: 't', projection: ['id'], where }, { timezone: 'Europe/Paris' });
    expect(plan?.steps.join('\n')).toContain(`by_${field}`);
  });

  it.each([['city'], ['home', 'street']])('serves a text inside a document: %s %s', async (...path) => {
    const name = path.at(-1) ?? '';
    const expression = { jsonPath: { field: 'info', path, type: 'String' } } as const;
    const collections = source.collections.map((collection) => {
      const column = collection.fields.get('name');
      if (collection.name !== 't' || column?.kind !== 'column') return collection;
      return {
        ...collection,
        fields: new Map(collection.fields).set('inside', { ...column, name: 'inside', expression }),
      };
    });
    const where = { field: 'inside', operator: 'Equal', value: 'x' } as const;
    const extended = source.extendedBy?.(collections);
    const plan = await extended?.explain?.({ collection: 't', projection: ['id'], where }, { timezone: 'UTC' });
    expect(plan?.steps.join('\n')).toContain(`by_${name}`);
  });

  it('serves the order of the key', async () => {
    const sort = [{ field: 'id', ascending: true }];
    const plan = await source.explain?.({ collection: 't', projection: ['id'], sort }, { timezone: 'UTC' });
    expect(plan?.steps.join('\n')).toMatch(/Index.*t_pkey/);
  });

  it.each([
    ['owners:label', /by_owner/],
    ['owners:t:owners:label', /by_owner/],
    ['labels:word', /Index.*t_labels_pkey/],
  ])('serves a condition on %s when it is on a foreign key', async (field, index) => {
    const where = { field, operator: 'Equal', value: 'x' } as const;
    const plan = await source.explain?.({ collection: 't', projection: ['id'], where }, { timezone: 'UTC' });
    expect(plan?.sql).toContain('exists (select 1 from');
    expect(plan?.steps.join('\n')).toMatch(index);
  });
});
