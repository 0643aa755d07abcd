import { describe, expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { titleField } from '#runtime/model/record-title';
import type { AnySchema, CollectionCustomizer } from '../../../../src/exports/index.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

type People = CollectionCustomizer<AnySchema, 'people'>;

async function titleOf(columns: string, customize: (people: People) => unknown = () => undefined) {
  const source = await temporaryDataSource(
    `create table teams (id integer primary key); create table people (${columns});`,
  );
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('people', customize);
  const people = compileModel([source], await collector.finish()).collections.get('people');
  return people && titleField(people);
}

const columns = 'id integer primary key, notes text, name text, team_id integer references teams(id)';

describe('the title of records', () => {
  it.each([
    [columns, 'name'],
    ['id integer primary key, notes text, username text', 'username'],
    ['id integer primary key, order_ref text', 'order_ref'],
    ['id integer primary key, email text, first_name text, "fullName" text', 'fullName'],
    ['id integer primary key, email text, title text', 'title'],
    ['id integer primary key, postal_code text, city text', 'id'],
    ['id integer primary key, code integer', 'id'],
    ['id integer primary key, notes text', 'id'],
    ['number integer, notes text', 'rowid'],
  ])('is guessed from names and types: %s', async (table, title) => {
    expect(await titleOf(table)).toBe(title);
  });

  it('is the field that code says, by its published name', async () => {
    expect(await titleOf(columns, (people) => people.setTitle('notes'))).toBe('notes');
    expect(await titleOf(columns, (people) => people.setTitle('notes').renameField('notes', 'about'))).toBe('about');
    const withInitial = (people: People) =>
      people
        .addField('initial', { columnType: 'String', dependencies: ['name'], getValues: (rows) => rows.map(() => 'A') })
        .setTitle('initial');
    expect(await titleOf(columns, withInitial)).toBe('initial');
  });

  it.each<[string, (people: People) => unknown, string]>([
    ['unknown', (people) => people.setTitle('nmae'), 'no field "nmae". Did you mean "name"?'],
    ['a relation', (people) => people.setTitle('team'), 'The title of "team" of "people" is about a relation'],
    ['removed before', (people) => people.removeField('name').setTitle('name'), 'the field "name", which is removed'],
    ['removed later', (people) => people.setTitle('name').removeField('name'), 'the field "name", which is removed'],
  ])('is refused when it is %s', async (_what, customize, fault) => {
    await expect(titleOf(columns, customize)).rejects.toThrow(fault);
  });
});
