import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { flattenColumn, flattenJsonColumn, flattenRelation } from '#runtime/plugins/flattener/flatten-fields';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table customers (id integer primary key, name text, info json);
  create table orders (id integer primary key, total integer, notes json, customer_id integer references customers);
`;

/** A customizer as code sees it that is not type checked. */
type Loose = Record<string, (...parameters: unknown[]) => unknown>;

async function compile(customize: (orders: Loose) => unknown) {
  const collector = createDeclarationCollector();
  collector.agent.customizeCollection('orders', (orders) => customize(orders as unknown as Loose));
  return compileModel([await temporaryDataSource(script)], await collector.finish());
}

const getValues = () => [];
const execute = () => undefined;

it.each<[string, (orders: Loose) => unknown, string]>([
  [
    'a field',
    (on) => on['addField']?.('x', { columnType: 'String', dependencies: ['id'], getValues, defaultVal: 1 }),
    'The field "x" of "orders" has no option "defaultVal". Did you mean "defaultValue"?',
  ],
  [
    'an import',
    (on) => on['importField']?.('x', { path: 'customer:name', readOnly: true }),
    'Did you mean "readonly"?',
  ],
  [
    'a relation',
    (on) => on['addManyToOneRelation']?.('buyer', 'customers', { foreignkey: 'customer_id' }),
    'The relation "buyer" of "orders" has no option "foreignkey". Did you mean "foreignKey"?',
  ],
  [
    'an external relation',
    (on) => on['addExternalRelation']?.('news', { schema: { a: 'String' }, listRecord: getValues }),
    'Did you mean "listRecords"?',
  ],
  ['an action', (on) => on['addAction']?.('Go', { scope: 'Bulk', execute, forms: [] }), 'Did you mean "form"?'],
  [
    'the field of a form',
    (on) =>
      on['addAction']?.('Go', { scope: 'Bulk', execute, form: [{ type: 'String', label: 'a', isrequired: true }] }),
    'the field "a" has no option "isrequired". Did you mean "isRequired"?',
  ],
  [
    'flattenRelation',
    (on) => on['use']?.(flattenRelation, { relationName: 'customer', nclude: ['name'] }),
    'Did you mean "include"?',
  ],
  [
    'flattenColumn',
    (on) => on['use']?.(flattenColumn, { columnName: 'total', exlude: ['name'] }),
    'Did you mean "exclude"?',
  ],
  [
    'flattenJsonColumn',
    (on) => on['use']?.(flattenJsonColumn, { columnName: 'total', keepOriginal: true }),
    'has no option "keepOriginal"',
  ],
])('a misspelt option of %s is reported, with the nearest one', async (_what, customize, problem) => {
  await expect(compile(customize)).rejects.toMatchObject({
    code: 'CUSTOMIZATION_INVALID',
    message: expect.stringContaining(problem),
  });
});

it.each<[string, (orders: Loose) => unknown, string]>([
  [
    'a relation without its key',
    (on) => on['addOneToManyRelation']?.('lines', 'orders', {}),
    'The relation "lines" of "orders" needs the name of a column as "originKey"',
  ],
  [
    'an unknown type',
    (on) => on['addField']?.('x', { columnType: 'Strng', dependencies: ['id'], getValues }),
    'has the unknown column type "Strng". Did you mean "String"? Types are Binary, Boolean, Date,',
  ],
  [
    'an unknown type in an external relation',
    (on) => on['addExternalRelation']?.('news', { schema: { at: 'Datetime' }, listRecords: getValues }),
    'has the unknown column type "Datetime". Types are',
  ],
  [
    'an unknown type in a document',
    (on) => on['use']?.(flattenJsonColumn, { columnName: 'notes', columnType: { tags: ['Text'] } }),
    'has the unknown column type "Text".',
  ],
  [
    'a condition with a misspelt operator of a request',
    (on) => on['addSegment']?.('large', { field: 'total', operator: 'greater_then', value: 3 }),
    'there is no operator "greater_then", the nearest one is "GreaterThan"; the field has',
  ],
  [
    'a validation with a misspelt operator',
    (on) => on['addFieldValidation']?.('total', 'Presnt'),
    'there is no operator "Presnt", the nearest one is "Present"',
  ],
  ['a misspelt hook', (on) => on['addHook']?.('Before', 'Updat', execute), 'Did you mean "Update"?'],
  [
    'a default that is not one of the values',
    (on) =>
      on['addField']?.('x', {
        columnType: 'Enum',
        enumValues: ['a'],
        dependencies: ['id'],
        getValues,
        defaultValue: 'b',
      }),
    'has a "defaultValue" that must be one of "a"',
  ],
  [
    'the emulation of an operator that the type does not have',
    (on) => on['emulateFieldOperator']?.('total', 'Contains'),
    'the field does not support "Contains"; the field has Equal, NotEqual',
  ],
])('%s is refused', async (_what, customize, problem) => {
  await expect(compile(customize)).rejects.toMatchObject({
    code: 'CUSTOMIZATION_INVALID',
    message: expect.stringContaining(problem),
  });
});
