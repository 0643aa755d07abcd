import { describe, expect, it } from 'vitest';
import type { Person } from '#contracts/people';
import type { PermissionFile, RoleCollection } from '#contracts/permission-file';
import type { SchemaCollection } from '#contracts/schema-document';
import type { VisibleCollection } from '#contracts/visible-schema';
import { withRenamedRole as renamedByPlatform } from '#platform/rights/rename-roles';
import {
  begunChart,
  type ChartDraft,
  chartFrom,
  draftOf,
  missingIn,
  recordChartFrom,
} from '../../../src/console/rights/chart-draft.ts';
import {
  changesIn,
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
import { readRightsState } from '../../../src/console/rights/rights-state.ts';
import {
  isLockedOut,
  peopleOf,
  renamedWith,
  withoutRole,
  withRenamedRole,
} from '../../../src/console/rights/role-draft.ts';
import {
  actionsIn,
  fieldsIn,
  publishedCollections,
  seenAs,
  seenCollection,
  withAction,
  withField,
} from '../../../src/console/rights/rules-draft.ts';

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
    expect(rulesOf(draft, 'Support', 'anything')?.actions).toEqual({ '*': { trigger: true, approve: true } });
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

describe('a change of rights', () => {
  it('says what it takes, restricts, frees and gives', () => {
    const changes = changesIn({
      removed: ['Role "A" may edit "orders"', 'Role "A" does not see "iban" of "orders"'],
      added: ['Role "A" may read "orders"', 'Role "A" needs an approval for "Ship" of "orders"'],
      restrictions: ['Role "A" does not see "iban" of "orders"', 'Role "A" needs an approval for "Ship" of "orders"'],
    });
    expect(changes).toEqual([
      { kind: 'taken', sentences: ['Role "A" may edit "orders"'] },
      { kind: 'restricted', sentences: ['Role "A" needs an approval for "Ship" of "orders"'] },
      { kind: 'freed', sentences: ['Role "A" does not see "iban" of "orders"'] },
      { kind: 'given', sentences: ['Role "A" may read "orders"'] },
    ]);
  });
});

describe('a role of a draft', () => {
  const elevation = { by: ['Support', 'Managers'] };
  const draft: PermissionFile = {
    roles: {
      Support: { collections: { orders: { browse: true } } },
      Managers: { collections: {}, elevation },
    },
    people: {
      'eve@example.test': { role: 'Support', tags: { state: 'TX' } },
      'bob@example.test': { roles: ['Managers', 'Support'] },
      'zoe@example.test': { role: 'Support' },
    },
  };
  const person = (email: string, roles: readonly string[], level = 'user') =>
    ({
      ...{ email, level, name: email, isActive: true },
      roles: roles.map((name) => ({ name, source: 'given' })),
      teams: [],
    }) as unknown as Person;

  it('has another name in its rules, in elevations and for people, in the same order', () => {
    const renamed = withRenamedRole(draft, 'Support', 'Help');
    expect(Object.keys(renamed.roles)).toEqual(['Help', 'Managers']);
    expect(renamed.roles['Managers']?.elevation?.by).toEqual(['Help', 'Managers']);
    expect(renamed.people).toEqual({
      'eve@example.test': { role: 'Help', tags: { state: 'TX' } },
      'bob@example.test': { roles: ['Managers', 'Help'] },
      'zoe@example.test': { role: 'Help' },
    });
    expect(withRenamedRole(renamed, 'Help', 'Support')).toEqual(draft);
    // The platform renames in the other environments: nobody may have other rights there.
    expect(renamedByPlatform(draft, { from: 'Support', to: 'Help' })).toEqual(renamed);
  });

  it('goes from wherever the rights name it', () => {
    const without = withoutRole(draft, 'Support');
    expect(without).toEqual({
      roles: { Managers: { collections: {}, elevation: { by: ['Managers'] } } },
      people: { 'eve@example.test': { tags: { state: 'TX' } }, 'bob@example.test': { roles: ['Managers'] } },
    });
    expect(withoutRole(without, 'Managers')).toEqual({
      roles: {},
      people: { 'eve@example.test': { tags: { state: 'TX' } } },
    });
    const last = withoutRole({ roles: { Managers: { collections: {}, elevation: { by: ['Support'] } } } }, 'Support');
    expect(last.roles['Managers']).toEqual({ collections: {} });
  });

  it('is renamed once, whatever it was called in between, and not at all where the draft has added it', () => {
    const once = renamedWith([], { from: 'Support', to: 'Help' }, ['Support']);
    expect(once).toEqual([{ from: 'Support', to: 'Help' }]);
    expect(renamedWith(once, { from: 'Help', to: 'Desk' }, ['Support'])).toEqual([{ from: 'Support', to: 'Desk' }]);
    expect(renamedWith(once, { from: 'Help', to: 'Support' }, ['Support'])).toEqual([]);
    expect(renamedWith([], { from: 'New', to: 'Newer' }, ['Support'])).toEqual([]);
    // Another role has the first name meanwhile.
    expect(renamedWith(once, { from: 'Support', to: 'Other' }, ['Support'])).toEqual(once);
  });

  it('names who would lose it, and says that nobody could administer any more', () => {
    const ada = person('ada@example.test', ['Support'], 'admin');
    const people = [ada, person('eve@example.test', []), person('bob@example.test', ['Support'])];
    expect(peopleOf(draft, people, 'Support', []).map(({ email }) => email)).toEqual([
      ...['ada@example.test', 'eve@example.test', 'bob@example.test'],
    ]);
    expect(isLockedOut(draft, people, [])).toBe(false);
    expect(isLockedOut(withoutRole(draft, 'Support'), people, [])).toBe(true);
    const renamed = [{ from: 'Support', to: 'Help' }];
    expect(isLockedOut(withRenamedRole(draft, 'Support', 'Help'), people, renamed)).toBe(false);
  });

  it('is in the address, as is a person, and nothing else', () => {
    expect(readRightsState({ of: 'role Support', more: 1 })).toEqual({ of: 'role Support' });
    expect(readRightsState({ of: 'person 3' })).toEqual({ of: 'person 3' });
    expect([readRightsState({ of: 'Support' }), readRightsState({ of: 3 }), readRightsState({})]).toEqual([{}, {}, {}]);
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

describe('the rules of a role for fields', () => {
  const field = (name: string, more: object = {}) => ({ field: name, isPrimaryKey: false, reference: null, ...more });
  const known = publishedCollections([
    {
      name: 'orders',
      fields: [
        field('id', { isPrimaryKey: true }),
        field('total', { isReadOnly: true }),
        field('customer', { reference: 'customers.id' }),
      ],
      foreignKeys: ['customer_id'],
      actions: [{ name: 'Ship' }],
    },
    { name: 'customers', fields: [field('id', { isPrimaryKey: true }), field('email')], actions: [] },
  ] as unknown as readonly SchemaCollection[]);
  const orders = { role: 'Support', collection: 'orders' };
  const customers = { role: 'Support', collection: 'customers' };
  const every = { role: 'Support', collection: '*' };
  const all = { read: true, filter: true, write: true };
  const none = { read: false, filter: false, write: false };
  const withFields = (fields: object): PermissionFile => ({
    roles: { Support: { collections: { orders: { browse: true, fields: fields as never } } } },
  });
  const fieldsOf = (changed: PermissionFile, { role, collection }: typeof orders) =>
    rulesOf(changed, role, collection)?.fields;

  it('are a row for each column, that for every other field first', () => {
    const { rows, keys, idle, more } = fieldsIn(withFields({ '*': false, total: true }), orders, known);
    expect(rows).toEqual([
      { name: '*', right: none, isNamed: true, isUnwritten: false },
      { name: 'customer_id', right: none, isNamed: false, isUnwritten: false },
      { name: 'total', right: all, isNamed: true, isUnwritten: true },
    ]);
    expect([keys, idle, more]).toEqual([['id'], [], []]);
  });

  it('are shown where they can have no effect, with the reason, and can be removed', () => {
    const draft = withFields({ id: false, customer: false, iban: { read: 'last4' }, total: false });
    const { rows, idle } = fieldsIn(draft, orders, known);
    expect(rows.map(({ name }) => name)).toEqual(['*', 'customer_id', 'total']);
    expect(idle).toEqual([
      { name: 'id', why: 'key' },
      { name: 'customer', why: 'relation' },
      { name: 'iban', why: 'gone' },
    ]);
    expect(fieldsOf(withField(draft, orders, 'iban', undefined, known), orders)).toEqual({
      ...{ id: false, customer: false, total: false },
    });
    expect(fieldsIn(draft, { role: 'Support', collection: 'orders' }, undefined).idle).toEqual([]);
  });

  it('are about what the person sees where no agent has told the platform', () => {
    const visible = {
      ...{ name: 'orders', actions: [], relations: [{ name: 'customer' }] },
      fields: [
        { name: 'id', isPrimaryKey: true },
        { name: 'total', isPrimaryKey: false, isReadOnly: true, isComputed: false },
        { name: 'margin', isPrimaryKey: false, isReadOnly: true, isComputed: true },
      ],
    } as unknown as VisibleCollection;
    expect(seenCollection(visible)).toEqual({
      ...{ name: 'orders', columns: ['total', 'margin'], keys: ['id'], relations: ['customer'], actions: [] },
      unwritten: ['margin'],
    });
  });

  it('are as short as they can be, and none where they would change nothing', () => {
    const set = (right: object, fields: object = {}) =>
      fieldsOf(withField(withFields(fields), orders, 'total', right as typeof all, known), orders);
    expect(set(none)).toEqual({ total: false });
    expect(set({ ...all, filter: false })).toEqual({ total: { filter: false } });
    expect(set({ read: 'last4', filter: false, write: false })).toEqual({ total: { read: 'last4' } });
    expect(set({ read: 'last4', filter: false, write: true })).toEqual({ total: { read: 'last4', write: true } });
    expect(set(all, { total: false })).toBeUndefined();
    expect(set(all, { '*': false, total: false })).toEqual({ '*': false, total: true });
    expect(set(none, { '*': false, total: true })).toEqual({ '*': false });
  });

  it('let nobody filter by what a mask hides, nor keep a right to a hidden field', () => {
    expect(seenAs(all, 'last4')).toEqual({ read: 'last4', filter: false, write: false });
    expect(seenAs({ read: 'last4', filter: false, write: true }, 'email')).toEqual({
      ...{ read: 'email', filter: false, write: true },
    });
    expect(seenAs(all, false)).toEqual(none);
    expect(seenAs(none, true)).toEqual(all);
    expect(seenAs({ ...all, write: false }, true)).toEqual({ ...all, write: false });
  });

  it('name a collection with those of every other one that it can have', () => {
    const draft = withField(document, customers, 'email', none, known);
    expect(rulesOf(draft, 'Support', 'customers')).toEqual({ browse: true, fields: { email: false } });
    expect(rulesOf(draft, 'Support', 'reviews')).toEqual(rulesOf(document, 'Support', '*'));
    expect(fieldsIn(document, customers, known).idle).toEqual([]);
  });

  it('are listed for every other collection as far as there are any, and any field can get one', () => {
    const draft = withField(document, every, 'email', { ...all, write: false }, known);
    const { rows, more, idle } = fieldsIn(draft, every, known, ['total']);
    expect(rows.map(({ name }) => name)).toEqual(['*', 'email', 'total']);
    expect([more, idle]).toEqual([['customer_id'], [{ name: 'iban', why: 'gone' }]]);
  });
});

describe('the rules of a role for actions', () => {
  const none = { columns: [], keys: [], relations: [], unwritten: [] };
  const ofOrders = [
    { name: 'Ship', type: 'bulk' },
    { name: 'Report', type: 'global' },
  ];
  const known = [
    { name: 'orders', ...none, actions: ofOrders },
    { name: 'customers', ...none, actions: [] },
  ];
  const orders = { role: 'Support', collection: 'orders' };
  const withActions = (actions: NonNullable<RoleCollection['actions']>): PermissionFile => ({
    roles: { Support: { collections: { orders: { browse: true, actions } } } },
  });
  const actionsOf = (changed: PermissionFile, collection = 'orders') =>
    rulesOf(changed, 'Support', collection)?.actions;
  const paid = { where: onlyPaid };

  it('are a row for each action, and those that are gone can be removed', () => {
    const draft = withActions({ '*': { trigger: true }, Report: {}, Refund: { approve: paid } });
    expect(actionsIn(draft, orders, known)).toEqual({
      rows: [
        { name: '*', given: { trigger: true }, isNamed: true, hasRecords: true },
        { name: 'Report', given: {}, isNamed: true, hasRecords: false },
        { name: 'Ship', given: { trigger: true }, isNamed: false, hasRecords: true },
      ],
      idle: ['Refund'],
    });
    const { Refund: _removed, ...kept } = actionsOf(draft) ?? {};
    expect(actionsOf(withAction(draft, orders, 'Refund', undefined, known))).toEqual(kept);
  });

  it('say only what is given, and nothing where that is what holds without them', () => {
    const given = { trigger: true, needsApproval: paid, approve: false, selfApprove: false };
    const draft = withAction(withActions({}), orders, 'Ship', given, known);
    expect(actionsOf(draft)).toEqual({ Ship: { trigger: true, needsApproval: paid } });
    const nothing = { trigger: false, needsApproval: false, approve: false, selfApprove: false };
    expect(actionsOf(withAction(draft, orders, 'Ship', nothing, known))).toBeUndefined();
    const every = withActions({ '*': { trigger: true } });
    expect(actionsOf(withAction(every, orders, 'Ship', nothing, known))).toEqual({ '*': { trigger: true }, Ship: {} });
    expect(actionsOf(withAction(every, orders, 'Ship', { ...nothing, trigger: true }, known))).toEqual({
      ...{ '*': { trigger: true } },
    });
    expect(actionsOf(withAction(every, orders, '*', nothing, known))).toBeUndefined();
  });

  it('name a collection without the actions that it does not have', () => {
    const every: PermissionFile = {
      roles: { Support: { collections: { '*': { actions: { Ship: { trigger: true }, '*': { approve: true } } } } } },
    };
    const customers = { role: 'Support', collection: 'customers' };
    expect(actionsIn(every, customers, known).idle).toEqual([]);
    expect(
      actionsOf(withField(every, customers, '*', { read: false, filter: false, write: false }, known), 'customers'),
    ).toEqual({
      ...{ '*': { approve: true } },
    });
    expect(
      actionsIn(every, { role: 'Support', collection: '*' }, known).rows.every(({ hasRecords }) => !hasRecords),
    ).toBe(true);
  });
});

describe('a chart that somebody defines', () => {
  const begun = begunChart('orders');
  const paidOnly = { aggregator: 'and', conditions: [onlyPaid] } as const;

  it('has what its type needs, as clients ask for it, and no more', () => {
    const base = { sourceCollectionName: 'orders', aggregator: 'Count' };
    expect(chartFrom({ ...begun, groupBy: 'status', relation: 'lines', filter: paidOnly })).toEqual({
      ...{ ...base, type: 'Value', filter: onlyPaid },
    });
    const line = { ...begun, type: 'Line', groupBy: 'placed_at', aggregator: 'Sum', field: 'total' } as const;
    expect(chartFrom(line)).toEqual({
      ...{ ...base, type: 'Line', aggregator: 'Sum', aggregateFieldName: 'total' },
      ...{ groupByFieldName: 'placed_at', timeRange: 'Month' },
    });
    const best = { ...begun, type: 'Leaderboard', relation: 'lines', label: 'ref' } as const;
    const ranked = { ...base, type: 'Leaderboard', labelFieldName: 'ref', relationshipFieldName: 'lines' };
    expect(chartFrom(best)).toEqual(ranked);
    expect(chartFrom({ ...best, limit: '5' })).toEqual({ ...ranked, limit: 5 });
    expect(chartFrom({ ...begun, type: 'Objective', objective: '0' })).toEqual({
      ...{ ...base, type: 'Objective', objective: 0 },
    });
  });

  it('makes no chart while something is missing or out of bounds', () => {
    const unfilled = { aggregator: 'and', conditions: [{ field: 'status', operator: 'equal' }] } as const;
    const drafts: readonly Partial<ChartDraft>[] = [
      ...[{ aggregator: 'Sum' as const }, { filter: unfilled }, { type: 'Objective' as const }],
      ...[{ type: 'Pie' as const }, { type: 'Line' as const }, { type: 'Leaderboard' as const, relation: 'lines' }],
      { type: 'Leaderboard', relation: 'lines', label: 'ref', limit: '1.5' },
      { type: 'Leaderboard', relation: 'lines', label: 'ref', limit: '1001' },
    ];
    expect(drafts.map((draft) => chartFrom({ ...begun, ...draft }))).toEqual(drafts.map(() => undefined));
    expect(drafts.map((draft) => missingIn({ ...begun, ...draft }))).toEqual([
      ...[['field'], ['filter'], ['objective'], ['groupBy'], ['groupBy'], ['label'], ['limit'], ['limit']],
    ]);
    expect(missingIn(begun)).toEqual([]);
  });

  it('is the same again after a form, also with conditions that the form cannot show', () => {
    const orders = {
      ...{ name: 'orders', relations: [] },
      fields: [{ name: 'status', operators: [{ operator: 'equal', value: 'one' }] }],
    } as unknown as VisibleCollection;
    const base = { sourceCollectionName: 'orders', aggregator: 'Sum', aggregateFieldName: 'total' };
    const deep = { field: 'customer:region:name', operator: 'equal', value: 'north' } as const;
    const charts = [
      { ...base, type: 'Line', name: 'Sales', groupByFieldName: 'placed_at', timeRange: 'Week', filter: onlyPaid },
      { ...base, type: 'Objective', objective: 5, filter: deep },
      { ...base, type: 'Leaderboard', labelFieldName: 'ref', relationshipFieldName: 'lines', limit: 3 },
    ];
    for (const chart of charts) {
      const known = recordChartFrom(chart);
      expect(known && chartFrom(draftOf(known, orders))).toEqual(chart);
      expect(known && chartFrom(draftOf(known, undefined))).toEqual(chart);
    }
  });
});
