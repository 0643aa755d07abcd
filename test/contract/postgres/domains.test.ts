import { beforeAll, describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import type { Operator } from '#runtime/query/operators';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../helpers/call-context.ts';
import { usePostgresServer } from '../../helpers/postgres-server.ts';

const server = usePostgresServer();
const call = callIn('UTC');
const page = { skip: 0, limit: 10 };
const sort = [{ field: 'id', ascending: true }];

const colours = `
  create type colour as enum ('red', 'blue'); create domain paint as colour; create domain coat as paint check (value::text <> 'blue');
  create domain labels as text[]; create domain paints as colour[]; create domain mark as jsonb; create domain spot as point;
  create domain size as int4range; create domain price as money;
  create table tins (colour paint primary key, name text);
  create table walls (id int primary key, paint paint, coat coat, plain colour, layers paint[], palette paints, labels labels,
    mark mark, spot spot, size size, price price);
  insert into tins values ('red', 'one'), ('blue', 'two');
  insert into walls values
    (1, 'red', 'red', 'red', '{red}', '{red}', '{a}', '{"a":1}', '(1,2)', '[1,3)', 5),
    (2, 'blue', null, 'blue', '{blue,red}', '{blue}', '{b}', '{"a":2}', '(2,1)', null, 6),
    (3, null, null, null, null, null, null, null, null, null, null);`;

async function serviceOn(declare: (agent: ReturnType<typeof createDeclarationCollector>['agent']) => void = () => {}) {
  const source = await server.openDataSource(colours);
  const collector = createDeclarationCollector();
  declare(collector.agent);
  return createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
}

describe('a domain', () => {
  let read: Awaited<ReturnType<typeof serviceOn>>;
  beforeAll(async () => {
    read = await serviceOn();
  });

  it.each<[string, Operator, unknown, number[]]>([
    ['paint', 'Equal', 'red', [1]],
    ['paint', 'NotEqual', 'red', [2, 3]],
    ['paint', 'In', ['red', 'blue'], [1, 2]],
    ['paint', 'In', ['red', null], [1, 3]],
    ['paint', 'NotIn', ['red'], [2, 3]],
    ['paint', 'Missing', null, [3]],
    ['coat', 'Equal', 'red', [1]],
    ['coat', 'NotIn', ['red', null], []],
    ['plain', 'Equal', 'red', [1]],
    ['layers', 'IncludesAll', ['red'], [1, 2]],
    ['layers', 'IncludesNone', ['blue'], [1, 3]],
    ['layers', 'Equal', ['blue', 'red'], [2]],
    ['palette', 'IncludesAll', ['red'], [1]],
    ['labels', 'IncludesAll', ['a'], [1]],
    ['mark', 'Equal', { a: 1 }, [1]],
    ['mark', 'In', [{ a: 1 }, { a: 2 }], [1, 2]],
    ['spot', 'Equal', '1,2', [1]],
    ['price', 'GreaterThan', '5.5', [2]],
    ['price', 'In', ['5'], [1]],
  ])('is filtered like the type under it: %s %s %j', async (field, operator, value, expected) => {
    const where = { field, operator, value };
    const found = await read.list({ collection: 'walls', projection: ['id'], where, sort, page }, call);
    expect(found.map(({ id }) => id)).toEqual(expected);
  });

  it('over an enumeration is searched, grouped, sorted and written', async () => {
    const service = await serviceOn();
    const searched = async (search: string) =>
      (await service.list({ collection: 'walls', search, sort, page }, call)).map(({ id }) => id);
    expect(await searched('RED')).toEqual([1, 2]);
    expect(await searched('paint:red')).toEqual([1]);
    expect(await searched('-paint:red')).toEqual([2, 3]);
    const aggregation = { operation: 'Max' as const, field: 'paint', groups: [{ field: 'coat' }] };
    expect(await service.aggregate({ collection: 'walls', aggregation }, call)).toEqual([
      { value: 'red', groups: ['red'] },
      { value: 'blue', groups: [null] },
    ]);
    const sorted = await service.list(
      { collection: 'walls', sort: [{ field: 'paint', ascending: false }], page },
      call,
    );
    expect(sorted.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(await service.update('walls', [3], { paint: 'blue', layers: ['red'] }, call)).toMatchObject({
      paint: 'blue',
    });
    await expect(service.update('walls', [3], { coat: 'blue' }, call)).rejects.toMatchObject({
      code: 'DATABASE_CONSTRAINT_VIOLATED',
    });
  });

  it('over an enumeration is a key, also of a relation that the project declares', async () => {
    const service = await serviceOn((agent) =>
      agent.customizeCollection('walls', (walls) => walls.addManyToOneRelation('tin', 'tins', { foreignKey: 'paint' })),
    );
    expect(await service.get('tins', ['red'], ['name'], call)).toMatchObject({ name: 'one' });
    expect(await service.update('tins', ['red'], { name: 'three' }, call)).toMatchObject({ name: 'three' });
    const joined = await service.list({ collection: 'walls', projection: ['id', 'tin:name'], sort, page }, call);
    expect(joined.map(({ tin }) => tin)).toEqual([
      { colour: 'red', name: 'three' },
      { colour: 'blue', name: 'two' },
      null,
    ]);
    const where = { field: 'tin:name', operator: 'Equal' as const, value: 'two' };
    expect((await service.list({ collection: 'walls', where, page }, call)).map(({ id }) => id)).toEqual([2]);
    await service.delete('tins', () => ({ field: 'colour', operator: 'Equal', value: 'blue' }), call);
    expect(await service.count({ collection: 'tins' }, call)).toBe(1);
  });
});
