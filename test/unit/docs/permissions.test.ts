import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { permissionFileSchema } from '#contracts/permission-file';
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
  expect(rightsInWords(checked.document)).toContain('Role "Support" may do nothing with "payments"');
});

/** The role and the team of whoever sets up a platform. */
it('every example of rights in the README and in the pages keeps the administrators of a new platform in', () => {
  const folder = new URL('../../../docs/', import.meta.url);
  const pages = [new URL('../README.md', folder), ...readdirSync(folder).map((name) => new URL(name, folder))];
  const texts = pages.filter(({ pathname }) => pathname.endsWith('.md')).map((url) => readFileSync(url, 'utf8'));
  const examples = texts.flatMap((text) => [...text.matchAll(/^\{\n(?:.*\n)*?\}$/gm)].map(([json]) => json));
  const rights = examples.filter((json) => json.includes('"roles": {')).map((json) => JSON.parse(json));
  expect(rights.length).toBeGreaterThanOrEqual(2);
  for (const { roles, teams } of rights) {
    const { collections } = permissionFileSchema.parse({ roles }).roles['Administrators'] ?? { collections: {} };
    expect(Object.values(collections).some(({ browse }) => browse)).toBe(true);
    if (teams) expect(Object.keys(teams)).toContain('Operations');
  }
});
