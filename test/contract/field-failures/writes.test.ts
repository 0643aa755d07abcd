/*
 * Failure                                   | Shown by
 * ------------------------------------------|---------------------------------------------------------------------
 * A lost update                             | data-source suite "loses no update of many at once that check the old value"
 * Half of a write                           | data-source suite "makes all records or none", "undoes all of it when …"
 */
import { expect, it } from 'vitest';
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
});
