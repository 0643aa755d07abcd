import { describe, expect, it } from 'vitest';
import type { PermissionFile } from '#contracts/permission-file';
import {
  everything,
  extentOf,
  extentOfRoles,
  lineInFile,
  namedCollections,
  rolesUnder,
  rulesOf,
  withRight,
  withRules,
} from '../../../src/console/rights/rights-draft.ts';

const onlyPaid = { field: 'status', operator: 'equal', value: 'paid' } as const;
const document: PermissionFile = {
  roles: {
    Support: {
      collections: {
        orders: { browse: true, read: true, scope: onlyPaid },
        '*': { browse: true, fields: { iban: { read: false } } },
      },
    },
    Managers: { collections: { orders: { browse: true, edit: true } } },
  },
};

describe('a matrix of rights', () => {
  it('has every other collection first, then those of the schema and of the rights', () => {
    expect(namedCollections(document, ['reviews', 'customers'])).toEqual(['*', 'customers', 'orders', 'reviews']);
  });

  it('says on which records roles give a right, all of them together', () => {
    expect(extentOfRoles(document, ['Support'], 'orders', 'browse')).toBe('some');
    expect(extentOfRoles(document, ['Support', 'Managers'], 'orders', 'browse')).toBe('all');
    expect(extentOfRoles(document, ['Support'], 'orders', 'edit')).toBe('none');
    expect(extentOfRoles(document, ['Support'], 'customers', 'browse')).toBe('all');
    expect(extentOfRoles(document, ['Managers'], 'customers', 'browse')).toBe('none');
    expect(extentOfRoles(document, ['constructor'], 'orders', 'browse')).toBe('none');
  });

  it('narrows what the roles of a person give by what the teams see', () => {
    const eve = { email: 'Eve@example.test', roles: ['Managers'], teams: ['North'] };
    expect(extentOf(document, eve, 'orders', 'edit')).toBe('all');
    const withTeams = (teams: PermissionFile['teams']) => ({ ...document, teams });
    expect(extentOf(withTeams({ South: {} }), eve, 'orders', 'edit')).toBe('none');
    expect(
      extentOf(withTeams({ North: { collections: { orders: { scope: onlyPaid } } } }), eve, 'orders', 'edit'),
    ).toBe('some');
    const ofBoth = { ...eve, teams: ['North', 'South'] };
    const teams = { North: { collections: { orders: { scope: onlyPaid } } }, South: {} };
    expect(extentOf(withTeams(teams), ofBoth, 'orders', 'edit')).toBe('all');
  });

  it('takes the roles that the rights give a person in place of those of the project', () => {
    const eve = { email: 'Eve@example.test', roles: ['Managers'], teams: [] };
    expect(rolesUnder(document, eve)).toEqual(['Managers']);
    expect(rolesUnder({ ...document, people: { 'eve@example.test': { tags: {} } } }, eve)).toEqual(['Managers']);
    expect(rolesUnder({ ...document, people: { 'eve@example.test': { role: 'Support' } } }, eve)).toEqual(['Support']);
    expect(rolesUnder({ ...document, people: { 'eve@example.test': { roles: ['A', 'B'] } } }, eve)).toEqual(['A', 'B']);
  });
});

describe('a draft of rights', () => {
  it('begins with everything that people may do where nobody has set any', () => {
    const draft = everything(['Support']);
    for (const right of ['browse', 'delete', 'export'] as const) {
      expect(extentOfRoles(draft, ['Support'], 'anything', right)).toBe('all');
    }
  });

  it('gives and takes one right, and keeps the others with their scope', () => {
    const given = withRight(document, 'Support', 'orders', 'edit', true);
    expect(rulesOf(given, 'Support', 'orders')).toEqual({ browse: true, read: true, edit: true, scope: onlyPaid });
    expect(withRight(given, 'Support', 'orders', 'edit', false)).toEqual(document);
    expect(rulesOf(document, 'Managers', 'orders')).toEqual({ browse: true, edit: true });
  });

  it('names a collection with what it had as every other one', () => {
    const given = withRight(document, 'Support', 'customers', 'add', true);
    expect(rulesOf(given, 'Support', 'customers')).toEqual({
      browse: true,
      add: true,
      fields: { iban: { read: false } },
    });
    expect(rulesOf(given, 'Support', 'reviews')).toEqual(rulesOf(document, 'Support', '*'));
  });

  it('leaves a collection named whose last right is taken, as long as every other one has rights', () => {
    const allowed: PermissionFile = { roles: { Support: { collections: { '*': { browse: true } } } } };
    const taken = withRight(allowed, 'Support', 'orders', 'browse', false);
    expect(taken.roles['Support']?.collections).toEqual({ '*': { browse: true }, orders: {} });
    const last = withRight(
      { roles: { Support: { collections: { orders: { read: true } } } } },
      'Support',
      'orders',
      'read',
      false,
    );
    expect(last.roles['Support']?.collections).toEqual({});
  });

  it('lets a collection be as every other one again', () => {
    const other = withRules(document, 'Support', 'orders', undefined);
    expect(rulesOf(other, 'Support', 'orders')).toEqual(rulesOf(document, 'Support', '*'));
  });
});

describe('a line in the file of the rights', () => {
  const lineWith = (text: string) =>
    JSON.stringify(document, undefined, 2)
      .split('\n')
      .findIndex((line) => line.includes(text)) + 1;

  it('is that of the right, or of the nearest place that could name it', () => {
    const edit = lineInFile(document, 'Managers', 'orders', 'edit');
    expect(edit).toEqual({ path: ['roles', 'Managers', 'collections', 'orders', 'edit'], line: lineWith('"edit"') });
    const other = lineInFile(document, 'Support', 'customers', 'edit');
    expect(other).toEqual({ path: ['roles', 'Support', 'collections', '*'], line: lineWith('"*"') });
    const role = lineInFile(document, 'Managers', 'customers', 'edit');
    expect(role.path).toEqual(['roles', 'Managers', 'collections']);
    expect(lineInFile(document, 'constructor', 'orders', 'edit')).toEqual({ path: ['roles'], line: 2 });
  });
});
