import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { checkPermissions } from '#contracts/permission-problems';
import { rightsInWords } from '#contracts/rights-in-words';
import type { SchemaCollection } from '#contracts/schema-document';

const page = readFileSync(new URL('../../../docs/permissions.md', import.meta.url), 'utf8');

const collection = (name: string, fields: readonly (readonly [string, string | null])[], actions: string[] = []) =>
  ({
    name,
    fields: fields.map(([field, reference]) => ({ field, reference })),
    actions: actions.map((action) => ({ name: action })),
  }) as SchemaCollection;

it('the example of docs/permissions.md is valid, and uses every part of the format', () => {
  const example = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? '');
  const checked = checkPermissions(example, [
    collection(
      'orders',
      [
        ['status', null],
        ['amount', null],
        ['customer', 'customers.id'],
      ],
      ['Refund'],
    ),
    collection('customers', [['region', null]]),
    collection('payments', []),
  ]);
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems));
  expect(Object.keys(checked.document)).toEqual(['$schema', 'roles', 'teams', 'people', 'ipRules']);
  expect(rightsInWords(checked.document)).toContain('Role "support" may do nothing with "payments"');
});
