import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const context = callIn('Europe/Paris');

const script = `
  create table rooms (house integer, number integer, name text, primary key (house, number));
  create table beds (
    id integer primary key, house integer, number integer, label text,
    foreign key (house, number) references rooms (house, number)
  );
  create table guests (id integer primary key, name text);
  create table stays (
    house integer, number integer, guest_id integer references guests,
    primary key (house, number, guest_id), foreign key (house, number) references rooms (house, number)
  );
  insert into rooms values (1, 1, 'red'), (1, 2, 'blue'), (2, 1, 'green'), (2, 2, 'black');
  insert into beds values (1, 1, 1, 'king'), (2, 1, 2, 'bunk');
  insert into guests values (1, 'Ada'), (2, 'Bob');
  insert into stays values (1, 1, 1), (1, 2, 2), (2, 1, 2);
`;

async function serve(customize: (agent: Agent) => void, sql = script) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  const model = compileModel([await temporaryDataSource(sql)], await collector.finish());
  return createRecordService(model, everythingAllowed);
}

/** A field that the database knows nothing of. */
function addLoudName(agent: Agent, collection: string, source: string) {
  agent.customizeCollection(collection, (on) =>
    on
      .addField('loud', {
        columnType: 'String',
        dependencies: [source],
        getValues: (records) => records.map((record) => String(record[source]).toUpperCase()),
      })
      .emulateFieldFiltering('loud'),
  );
}

describe('a relation with a key of several parts', () => {
  it('is followed in the agent by all of them', async () => {
    const service = await serve((agent) => addLoudName(agent, 'beds', 'label'));
    const where = { field: 'beds:loud', operator: 'Equal', value: 'KING' } as const;
    const rooms = await service.list({ collection: 'rooms', projection: ['name'], where }, context);
    expect(rooms.map(({ name }) => name)).toEqual(['red']);
  });

  it('is written through to the related records only', async () => {
    const service = await serve(() => undefined);
    const beds = service.contextOf('beds', context).collection;
    await beds.create([{ id: 3, house: 2, number: 1, label: 'cot' }]);
    const ofHouses = { field: 'id', operator: 'In', value: [2, 3] } as const;
    await beds.update({ conditionTree: ofHouses }, { room: { name: 'new' } });
    const sort = [
      { field: 'house', ascending: true },
      { field: 'number', ascending: true },
    ];
    const rooms = await service.list({ collection: 'rooms', projection: ['name'], sort }, context);
    expect(rooms.map(({ name }) => name)).toEqual(['red', 'new', 'new', 'black']);
  });

  it('is searched for related records that exist, and for ones that do not', async () => {
    const service = await serve(() => undefined);
    const search = async (text: string) => {
      const rooms = await service.list({ collection: 'rooms', projection: ['name'], search: text }, context);
      return rooms.map(({ name }) => name);
    };
    expect(await search('beds.label:king')).toEqual(['red']);
    expect(await search('-beds.label:king')).toEqual(['blue', 'green', 'black']);
    expect(await search('guests.name:Bob')).toEqual(['blue', 'green']);
    expect(await search('-guests.name:Bob')).toEqual(['red', 'black']);
  });

  it('leads to many by one and the same record of the collection in between', async () => {
    const service = await serve(() => undefined);
    const relatedTo = { collection: 'rooms', relation: 'guests', id: [1, 1] };
    const guests = await service.list({ collection: 'guests', projection: ['name'], relatedTo }, context);
    expect(guests.map(({ name }) => name)).toEqual(['Ada']);
  });

  it('is unlinked from the related records that are meant, and from no others with a part of their keys', async () => {
    const service = await serve(() => undefined, `${script} insert into stays values (1, 1, 2), (2, 2, 2);`);
    const bob = { collection: 'guests', relation: 'rooms', id: [2] };
    const where = { field: 'name', operator: 'In', value: ['blue', 'green'] } as const;
    await service.dissociate(bob, where, false, context);
    const rooms = await service.list({ collection: 'rooms', projection: ['name'], relatedTo: bob }, context);
    expect(rooms.map(({ name }) => name)).toEqual(['red', 'black']);
  });
});

describe('records with a key of several parts', () => {
  const manyRooms = `
    create table rooms (house integer, number integer, name text, primary key (house, number));
    with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 5000)
    insert into rooms select n, n, 'room ' || n from numbers;
  `;
  const where = { field: 'loud', operator: 'StartsWith', value: 'ROOM' } as const;

  it('are listed when thousands of them were found in the agent', async () => {
    const service = await serve((agent) => addLoudName(agent, 'rooms', 'name'), manyRooms);
    const rooms = await service.list({ collection: 'rooms', projection: ['name'], where }, context);
    expect(rooms).toHaveLength(5000);
  });

  it('are listed when their keys have more parts than most', async () => {
    const manyParts = `
      create table rooms (a integer, b integer, c integer, d integer, e integer, f integer, name text, primary key (a, b, c, d, e, f));
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 1700)
      insert into rooms select n, n, n, n, n, n, 'room ' || n from numbers;
    `;
    const service = await serve((agent) => addLoudName(agent, 'rooms', 'name'), manyParts);
    const rooms = await service.list({ collection: 'rooms', projection: ['name'], where }, context);
    expect(rooms).toHaveLength(1700);
  });

  it('are deleted when thousands of them were found in the agent', async () => {
    const service = await serve((agent) => addLoudName(agent, 'rooms', 'name'), manyRooms);
    expect(await service.delete('rooms', where, context)).toBe(5000);
  });
});
