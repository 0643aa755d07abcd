import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn, everythingAllowed } from '../../../../helpers/call-context.ts';
import { temporaryDataSource } from '../../../../helpers/temporary-database.ts';

const context = callIn('UTC');
const token = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';

it('a related record that is found by its key in another spelling is changed, not made again', async () => {
  const users = await temporaryDataSource(`
    create table users (id integer primary key, token uuid);
    insert into users values (1, '${token.toUpperCase()}');
  `);
  const columns = [
    { name: 'id', type: 'Number', isAutoIncrement: true },
    { name: 'token', type: 'Uuid' },
    { name: 'bio', type: 'String' },
  ] as const;
  const records = [{ id: 1, token, bio: 'old' }];
  const profiles = createMemoryDataSource([{ name: 'profiles', schema: { columns, primaryKey: ['id'] }, records }]);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('users', (on) =>
    on
      .addOneToOneRelation('profile', 'profiles', { originKey: 'token', originKeyTarget: 'token' })
      .importField('bio', { path: 'profile:bio' }),
  );
  const model = compileModel([users, profiles], await collector.finish());
  const service = createRecordService(model, everythingAllowed);
  await service.update('users', [1], { bio: 'new' }, context);
  expect(await service.list({ collection: 'profiles', projection: ['bio'] }, context)).toEqual([{ id: 1, bio: 'new' }]);
});

it('a record without a key value does not touch related records without one', async () => {
  const users = await temporaryDataSource(`
    create table users (id integer primary key, token text);
    create table profiles (id integer primary key, token text, bio text);
    insert into users values (1, 'x'), (2, null);
    insert into profiles values (1, 'x', 'old'), (2, null, 'of nobody');
  `);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('users', (on) =>
    on
      .addOneToOneRelation('profile', 'profiles', { originKey: 'token', originKeyTarget: 'token' })
      .importField('bio', { path: 'profile:bio' }),
  );
  const model = compileModel([users], await collector.finish());
  const service = createRecordService(model, everythingAllowed);
  await expect(service.update('users', [2], { bio: 'new' }, context)).rejects.toMatchObject({
    code: 'REQUEST_UNPROCESSABLE',
    message: 'The relation "profile" leads nowhere: its key "token" has no value.',
  });
  const profiles = await service.list({ collection: 'profiles', projection: ['bio'] }, context);
  expect(profiles.map(({ bio }) => bio)).toEqual(['old', 'of nobody']);
});

it('a record without a key value is linked to nothing, and takes nothing from another record', async () => {
  const users = await temporaryDataSource(`
    create table users (id integer primary key, token text);
    create table profiles (id integer primary key, token text);
    insert into users values (1, 'x'), (2, null);
    insert into profiles values (1, 'x');
  `);
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('users', (on) =>
    on
      .addOneToOneRelation('profile', 'profiles', { originKey: 'token', originKeyTarget: 'token' })
      .addOneToManyRelation('profiles', 'profiles', { originKey: 'token', originKeyTarget: 'token' }),
  );
  const service = createRecordService(compileModel([users], await collector.finish()), everythingAllowed);
  const end = (relation: string) => ({ collection: 'users', relation, id: [2] });
  const refused = { code: 'REQUEST_UNPROCESSABLE', details: { field: 'token' } };
  await expect(service.linkToOne(end('profile'), [1], context)).rejects.toMatchObject(refused);
  await expect(service.associate(end('profiles'), [1], context)).rejects.toMatchObject(refused);
  expect(await service.get('profiles', [1], ['token'], context)).toEqual({ id: 1, token: 'x' });
});
