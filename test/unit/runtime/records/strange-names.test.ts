import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const context = callIn('UTC');

it('fields may have the names of members of every object', async () => {
  const source = await temporaryDataSource(
    'create table things (id integer primary key, "__proto__" text, constructor text, "toString" text)',
  );
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('things', (on) =>
    on
      .addField('valueOf', {
        columnType: 'String',
        dependencies: ['__proto__', 'constructor'],
        getValues: (records) => records.map((record) => Object.values(record).join(', ')),
      })
      .replaceFieldWriting('toString', (value) => ({ toString: `${value}!` })),
  );
  const service = createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
  const sent = JSON.parse('{"id":1,"__proto__":"p","constructor":"c","toString":"t"}');
  const created = await service.create('things', sent, context);
  const stored = '{"id":1,"__proto__":"p","constructor":"c","toString":"t!","valueOf":"p, c"}';
  expect(JSON.stringify(created)).toBe(stored);
  const where = { field: '__proto__', operator: 'Equal', value: 'p' } as const;
  expect(JSON.stringify(await service.list({ collection: 'things', where }, context))).toBe(`[${stored}]`);
});

it('a field with the name of a member of every object is validated only where it is given', async () => {
  const source = await temporaryDataSource(
    "create table things (id integer primary key, name text, constructor text); insert into things values (1, 'a', 'bc')",
  );
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('things', (on) => on.addFieldValidation('constructor', 'LongerThan', 1));
  const service = createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
  expect(await service.update('things', [1], { name: 'b' }, context)).toMatchObject({ name: 'b' });
  await expect(service.update('things', [1], { constructor: 'b' }, context)).rejects.toMatchObject({
    details: { field: 'constructor' },
  });
});

it('a computed field may be called __proto__', async () => {
  const source = await temporaryDataSource(
    'create table things (id integer primary key); insert into things values (1)',
  );
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('things', (on) =>
    on.addField('__proto__', {
      columnType: 'String',
      dependencies: ['id'],
      getValues: (records) => records.map(({ id }) => `thing ${id}`),
    }),
  );
  const service = createRecordService(compileModel([source], await collector.finish()), everythingAllowed);
  const records = await service.list({ collection: 'things', projection: ['__proto__'] }, context);
  expect(JSON.stringify(records)).toBe('[{"__proto__":"thing 1","id":1}]');
});
