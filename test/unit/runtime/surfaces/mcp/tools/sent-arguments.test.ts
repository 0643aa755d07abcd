import { expect, it } from 'vitest';
import * as z from 'zod';
import { readSent } from '#runtime/surfaces/mcp/tools/sent-arguments';

const schema = z.strictObject({
  name: z.string(),
  note: z.string().optional(),
  nothing: z.null().optional(),
  size: z.int().default(15),
  isDry: z.boolean().optional(),
  fields: z.array(z.string()).optional(),
  page: z.strictObject({ number: z.int().optional() }).optional(),
  groups: z.array(z.strictObject({ field: z.string(), bucket: z.string().optional() })).optional(),
  values: z.union([z.looseObject({}), z.string()]).optional(),
});

it.each<[string, object, object]>([
  ['null for an optional argument as absent', { note: null, size: null, page: null }, {}],
  ['null where it is a value as null', { nothing: null }, { nothing: null }],
  [
    'null inside of an argument as absent',
    { page: { number: null }, groups: [{ field: 'a', bucket: null }] },
    { page: {}, groups: [{ field: 'a' }] },
  ],
  ['null among the values of a record as null', { values: { a: null } }, { values: { a: null } }],
  [
    'JSON texts',
    { size: '5', isDry: 'true', fields: '["a"]', page: '{"number":"2"}' },
    { size: 5, isDry: true, fields: ['a'], page: { number: 2 } },
  ],
  ['a list of JSON texts', { groups: ['{"field":"a"}'] }, { groups: [{ field: 'a' }] }],
  ['a text as a text, whatever it holds', { note: '5', values: '{"a":1}' }, { note: '5', values: '{"a":1}' }],
  [
    'what it cannot read as it was sent',
    { size: 'many', fields: '[1]', other: null },
    { size: 'many', fields: '[1]', other: null },
  ],
])('reads %s', (_what, sent, read) => {
  expect(readSent(schema, { name: 'n', ...sent })).toEqual({ name: 'n', ...read });
});

it('leaves null for a required argument to the schema', () => {
  expect(readSent(schema, { name: null })).toEqual({ name: null });
});
