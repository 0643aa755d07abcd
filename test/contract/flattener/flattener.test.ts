import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/customizer/agent';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { flattenColumn } from '#runtime/plugins/flattener/flatten-fields';
import { createRecordService } from '#runtime/records/create-record-service';
import { everythingAllowed } from '../../helpers/call-context.ts';
import { openMemory } from '../data-source/open-memory.ts';
import { openSqliteTables } from '../data-source/open-sqlite.ts';
import { context, describeFlattener, modelOn } from './flattener-suite.ts';

describeFlattener('memory', openMemory);
describeFlattener('SQLite', openSqliteTables);

describe('flattening a column of named fields', () => {
  const places = () =>
    createMemoryDataSource([
      {
        name: 'places',
        schema: {
          columns: [
            { name: 'id', type: 'Number' },
            { name: 'at', type: { city: 'String', geo: { lat: 'Number', lon: 'Number' } } },
            { name: 'tags', type: ['String'] },
          ],
          primaryKey: ['id'],
        },
        records: [{ id: 1, at: { city: 'Ulm', geo: { lat: 48, lon: 10 } }, tags: [] }],
      },
    ]);
  const serve = async (options: object) => {
    const customize = (agent: Agent) => {
      agent.customizeCollection('places', (on) => on.use(flattenColumn, { columnName: 'at', ...options }));
    };
    return createRecordService(await modelOn(places(), customize), everythingAllowed);
  };
  const place = async (options: object) => (await serve(options)).get('places', [1], undefined, context);

  it('takes one level, or as many as are asked for', async () => {
    expect(await place({})).toMatchObject({ 'at@@@city': 'Ulm', 'at@@@geo': { lat: 48, lon: 10 } });
    expect(await place({ level: 2 })).toMatchObject({ 'at@@@geo@@@lat': 48, 'at@@@geo@@@lon': 10 });
  });

  it('takes what is included, and leaves out what is excluded', async () => {
    const named = async (options: object) =>
      Object.keys(await place({ level: 2, ...options })).filter((name) => name.includes('@@@'));
    expect(await named({ include: ['geo'], exclude: ['geo:lon'] })).toEqual(['at@@@geo@@@lat']);
    expect(await named({ include: ['geo.lon', 'city'] })).toEqual(['at@@@city', 'at@@@geo@@@lon']);
    await expect(place({ include: ['goe'] })).rejects.toThrow('Did you mean "geo"?');
    await expect(place({ exclude: ['city', 'geo'] })).rejects.toThrow('every field of it is left out');
  });

  it('writes and filters, and leaves the rest of the column as it is', async () => {
    const service = await serve({ level: 2 });
    const where = { field: 'at@@@geo@@@lat', operator: 'LessThan', value: 50 } as const;
    expect(await service.count({ collection: 'places', where }, context)).toBe(1);
    const updated = await service.update('places', [1], { 'at@@@geo@@@lat': 49 }, context);
    expect(updated?.['at']).toEqual({ city: 'Ulm', geo: { lat: 49, lon: 10 } });
  });

  it('refuses lists', async () => {
    await expect(place({ columnName: 'tags' })).rejects.toThrow('it is a list');
  });

  it('refuses to be used without a collection or without the name of the column', async () => {
    const use = (options: object | undefined) =>
      modelOn(
        places(),
        (agent) => void agent.customizeCollection('places', (on) => on.use(flattenColumn, options as never)),
      );
    await expect(use(undefined)).rejects.toThrow('needs "columnName"');
    await expect(modelOn(places(), (agent) => void agent.use(flattenColumn, { columnName: 'at' }))).rejects.toThrow(
      'is used on a collection',
    );
  });
});
