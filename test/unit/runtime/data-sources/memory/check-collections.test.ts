import { expect, it } from 'vitest';
import { createMemoryDataSource } from '#runtime/data-sources/memory/create-memory-data-source';

const id = { name: 'id', type: 'Number' };
const schema = { columns: [id], primaryKey: ['id'] };
const table = (more: object = {}) => ({ name: 't', schema, records: [], ...more });
const withSchema = (more: object) => [table({ schema: { ...schema, ...more } })];

it.each<[string, unknown, string]>([
  ['no list', { name: 't' }, 'It takes a list of collections.'],
  ['no name', [{ schema, records: [] }], 'A collection has no "name".'],
  ['two of one name', [table(), table()], 'Two collections are called "t".'],
  ['a misspelt part', [{ name: 't', schema, record: [] }], 'no option "record". Did you mean "records"?'],
  ['no records', [{ name: 't', schema }], '"t" has no list of "records".'],
  ['no schema', [{ name: 't', records: [] }], 'The "schema" of "t" is not an object.'],
  ['no columns', withSchema({ columns: undefined }), 'has no list of "columns".'],
  ['no key', withSchema({ primaryKey: 'id' }), 'has no "primaryKey", a list of columns.'],
  ['a column that is a text', withSchema({ columns: ['id'] }), 'A column of "t" is not an object.'],
  ['a misspelt option of a column', withSchema({ columns: [{ ...id, nullable: true }] }), 'no option "nullable"'],
  [
    'an unknown type',
    withSchema({ columns: [{ ...id, type: 'Integer' }] }),
    'The column "id" of "t" has the unknown column type',
  ],
  ['an Enum without values', withSchema({ columns: [{ ...id, type: 'Enum' }] }), 'is an Enum and has no "enumValues".'],
  [
    'a key of no column',
    withSchema({ primaryKey: ['idd'] }),
    'names "idd", which "t" does not have. Did you mean "id"?',
  ],
  [
    'a foreign key to nothing',
    withSchema({ foreignKeys: [{ columns: ['id'], foreignTable: 'u', foreignColumns: ['id'] }] }),
    'A foreign key of "t" leads to no collection: "u".',
  ],
  [
    'a misspelt column of a record',
    [table({ records: [{ Id: 1 }] })],
    'Record 0 of "t" has no column "Id". Did you mean "id"?',
  ],
  ['a value of another type', [table({ records: [{ id: 'one' }] })], 'Record 0 of "t": "id" must be a number.'],
])('createMemoryDataSource refuses %s', (_what, collections, problem) => {
  expect(() => createMemoryDataSource(collections as never)).toThrow(
    expect.objectContaining({ code: 'AGENT_OPTION_INVALID', message: expect.stringContaining(problem) }),
  );
});
