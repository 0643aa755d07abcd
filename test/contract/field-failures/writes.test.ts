/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A lost update                             | data-source suite "loses no update of many at once that check the old value"
 * A deletion that nobody understands        | "a record that others refer to …"
 * Half of a write                           | data-source suite "makes all records or none", "undoes all of it when …", "code that catches …"
 */
import { expect, it } from 'vitest';
import type { CloudError } from '#kernel/errors/cloud-error';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { describeOnEngines } from './engines.ts';
import { context, serve } from './requests.ts';

const poolSize = 4;

describeOnEngines('Writes', (open, dialect) => {
  it('a read right after a write: sees it, on whichever connection it runs', async () => {
    const { dataSource } = await open(['create table t (id int primary key, n int)'], { poolSize });
    const service = serve(dataSource);
    const readings = () =>
      Promise.all(Array.from({ length: 2 * poolSize }, () => service.list({ collection: 't' }, context)));
    await readings();
    if (dialect !== 'sqlite') expect(dataSource.openConnections()).toBe(poolSize);
    for (let n = 0; n < 20; n++) {
      await service.create('t', { id: 1, n }, context);
      for (const records of await readings()) expect(records).toEqual([{ id: 1, n }]);
      await service.update('t', [1], { n: -n }, context);
      for (const records of await readings()) expect(records).toEqual([{ id: 1, n: 0 - n }]);
      expect(await service.delete('t', { field: 'n', operator: 'Equal', value: -n }, context)).toBe(1);
      for (const records of await readings()) expect(records).toEqual([]);
    }
  });

  it('code that catches the refusal of one of several new records: nothing of the request is kept', async () => {
    const { dataSource } = await open([
      'create table jobs (id int primary key)',
      'create table parts (id int primary key)',
      'insert into parts values (3)',
    ]);
    const collector = createDeclarationCollector();
    collector.agent.customizeCollection('jobs', (collection) =>
      collection.addHook('Before', 'Create', async ({ dataSource: stores }) => {
        // They take more than one statement.
        await stores
          .getCollection('parts')
          .create([{ id: 1 }, { id: 2 }, { id: 3 }])
          .catch(() => undefined);
      }),
    );
    const service = serve(dataSource, {}, await collector.finish());
    await expect(service.create('jobs', { id: 1 }, context)).rejects.toThrow();
    const keys = async (collection: string) => (await service.list({ collection }, context)).map(({ id }) => id);
    expect(await keys('jobs')).toEqual([]);
    expect(await keys('parts')).toEqual([3]);
  });

  it('a record that others refer to: the refusal names them, as far as they are seen', async () => {
    const { dataSource } = await open([
      'create table teams (id int primary key)',
      'create table players (id int primary key, team_id int, foreign key (team_id) references teams (id))',
      'create table secrets (id int primary key, team_id int, foreign key (team_id) references teams (id))',
      'insert into teams values (1), (2), (3)',
      'insert into players values (1, 1)',
      'insert into secrets values (1, 1), (2, 2)',
    ]);
    const refusal = (id: number, scopes = {}) => {
      const where = { field: 'id', operator: 'Equal' as const, value: id };
      return serve(dataSource, scopes)
        .delete('teams', where, context)
        .catch(({ code, message, nextSteps }: CloudError) => ({ code, message, nextSteps }));
    };
    const refused = (who: string) => ({
      code: 'DATABASE_CONSTRAINT_VIOLATED',
      message: `The record breaks a foreign key: ${who} refer to this one.`,
      nextSteps: ['Delete those records first, or let them refer to another record.'],
    });
    expect(await refusal(1)).toEqual(refused('records of "players" and records of "secrets"'));
    const hidden = { secrets: { field: 'id', operator: 'Equal', value: 0 } };
    expect(await refusal(1, hidden)).toEqual(refused('records of "players"'));
    expect(await refusal(2, hidden)).toEqual(refused('other records'));
    expect(await refusal(3)).toBe(1);
  });
});
