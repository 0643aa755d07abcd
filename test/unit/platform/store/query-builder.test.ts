import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { SqlValue } from '#kernel/ports/sql-row';
import { createQueryBuilder } from '#platform/store/query-builder';

/** What a read of some users asks of an engine. */
async function askedOf(engine: 'sqlite' | 'postgres', limit: Parameters<ReturnType<typeof users>['limit']>[0]) {
  let asked: { readonly text: string; readonly parameters: readonly SqlValue[] } | undefined;
  const builder = createQueryBuilder(engine, {
    all(text, parameters) {
      asked = { text, parameters };
      return [];
    },
  });
  await users(builder).limit(limit).execute();
  return asked;
}

function users(builder: ReturnType<typeof createQueryBuilder>) {
  return builder.selectFrom('users').select('id').where('email', '=', 'ada@example.test');
}

describe('a limit of the store', () => {
  it('is in the text for SQLite, which would plan the statement again for each value of a parameter', async () => {
    expect(await askedOf('sqlite', 3)).toEqual({
      text: 'select "id" from "users" where "email" = ? limit 3',
      parameters: ['ada@example.test'],
    });
    expect(await askedOf('sqlite', sql<number>`1 + 2`)).toMatchObject({
      text: 'select "id" from "users" where "email" = ? limit 1 + 2',
    });
  });

  it('is a parameter for PostgreSQL', async () => {
    expect(await askedOf('postgres', 3)).toEqual({
      text: 'select "id" from "users" where "email" = $1 limit $2',
      parameters: ['ada@example.test', 3],
    });
  });
});
