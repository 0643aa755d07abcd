import { describe, expect, it } from 'vitest';
import { conditionOperators } from '#contracts/condition';
import type { PermissionFile } from '#contracts/permission-file';
import { checkPermissions, placeInWords } from '#contracts/permission-problems';
import { differenceInWords, restrictionsInWords, rightsInWords } from '#contracts/rights-in-words';
import type { SchemaCollection } from '#contracts/schema-document';
import { operatorNames, operatorToWire } from '#runtime/query/operators';

const field = (name: string, reference: string | null = null) =>
  ({ field: name, reference }) as SchemaCollection['fields'][number];
const collection = (name: string, fields: SchemaCollection['fields'], actions: string[] = [], foreignKeys?: string[]) =>
  ({ name, fields, foreignKeys, actions: actions.map((action) => ({ name: action })) }) as SchemaCollection;
const key = (name: string) => ({ ...field(name), isPrimaryKey: true });
const schema = [
  collection('orders', [key('id'), field('status'), field('customer', 'customers.id')], ['Refund'], ['customer_id']),
  collection('customers', [field('name')]),
];

function problemsOf(value: unknown): readonly string[] {
  const checked = checkPermissions(value, schema, ['initials']);
  return 'problems' in checked
    ? checked.problems.map(({ place, message }) => `${placeInWords(place)}: ${message}`)
    : [];
}

const role = (rights: unknown) => ({ roles: { support: { collections: { orders: rights } } } });
const scope = (condition: unknown) => ({
  roles: {},
  teams: { Ops: { collections: { orders: { scope: condition } } } },
});

describe('a permission file', () => {
  it('knows the operators of the agent', () => {
    expect([...conditionOperators].sort()).toEqual(operatorNames.map(operatorToWire).sort());
  });

  it.each([
    [
      role({ brouse: true }),
      'roles.support.collections.orders.brouse: "brouse" is unknown here. Did you mean "browse"?',
    ],
    [
      { roles: { support: { collections: { odrers: {} } } } },
      'roles.support.collections.odrers: There is no collection "odrers". Did you mean "orders"?',
    ],
    [
      role({ actions: { Refnd: {} } }),
      'roles.support.collections.orders.actions.Refnd: There is no action "Refnd". Did you mean "Refund"?',
    ],
    [
      {
        roles: { support: { collections: {} } },
        people: { 'ada@example.test': { role: 'support', roles: ['support'] } },
      },
      'people.ada@example.test.role: Name the roles in "role" or in "roles", and not in both.',
    ],
    [
      { roles: { support: { collections: {} } }, people: { 'ada@example.test': { roles: ['support', 'suport'] } } },
      'people.ada@example.test.roles.1: There is no role "suport". Did you mean "support"?',
    ],
    [
      { roles: { support: { collections: {} } }, people: { 'ada@example.test': { roles: ['support', 'support'] } } },
      'people.ada@example.test.roles.1: "support" stands there twice.',
    ],
    [
      { roles: { root: { collections: {}, elevation: { by: ['rot'] } } } },
      'roles.root.elevation.by.0: There is no role "rot". Did you mean "root"?',
    ],
    [
      role({ browse: 'yes' }),
      'roles.support.collections.orders.browse: Invalid input: expected boolean, received string.',
    ],
    [
      role({ actions: { Refund: { trigger: { where: { field: 'statu', operator: 'equal', value: 1 } } } } }),
      'roles.support.collections.orders.actions.Refund.trigger.where.field: "orders" has no field "statu". Did you mean "status"?',
    ],
    [
      scope({ aggregator: 'and', conditions: [{ field: 'customer:nam', operator: 'equal', value: 1 }] }),
      'teams.Ops.collections.orders.scope.conditions.0.field: "customers" has no field "nam". Did you mean "name"?',
    ],
    [
      scope({ field: 'custommer_id', operator: 'equal', value: 1 }),
      'teams.Ops.collections.orders.scope.field: "orders" has no field "custommer_id". Did you mean "customer_id"?',
    ],
    [
      scope({ field: 'customer', operator: 'equal', value: 1 }),
      'teams.Ops.collections.orders.scope.field: "customer" is a relation. Name a field behind it, as in "customer:name".',
    ],
    [
      scope({ field: 'status:name', operator: 'equal', value: 1 }),
      'teams.Ops.collections.orders.scope.field: "status" of "orders" is a column: no field comes after it.',
    ],
    [
      scope({ field: 'status', operator: 'equal', value: '{{currentUser.tag.x}}' }),
      'teams.Ops.collections.orders.scope: {{currentUser.tag.x}} stands for nothing of a user.',
    ],
    [
      { roles: { support: { collections: {} } }, people: { 'a@b.test': { role: 'suport' } } },
      'people.a@b.test.role: There is no role "suport". Did you mean "support"?',
    ],
    [
      role({ fields: { statu: false } }),
      'roles.support.collections.orders.fields.statu: "orders" has no field "statu". Did you mean "status"?',
    ],
    [
      role({ fields: { id: false } }),
      'roles.support.collections.orders.fields.id: "id" is part of the key of "orders", which identifies records.',
    ],
    [
      role({ fields: { customer: false } }),
      'roles.support.collections.orders.fields.customer: "customer" is a relation. It follows its key: write a rule for the column.',
    ],
    [
      role({ fields: { status: { read: false, write: true } } }),
      'roles.support.collections.orders.fields.status: The role does not see the field, so it can neither filter by it nor write it.',
    ],
    [
      role({ fields: { status: { read: 'last4', filter: true } } }),
      'roles.support.collections.orders.fields.status.filter: The role sees the field masked. Whoever filters by it could guess what it holds.',
    ],
    [
      role({ fields: { status: { raed: false } } }),
      'roles.support.collections.orders.fields.status.raed: "raed" is unknown here. Did you mean "read"?',
    ],
    [
      { roles: { support: { collections: { '*': { fields: { nmae: false } } } } } },
      'roles.support.collections.*.fields.nmae: There is no field "nmae". Did you mean "name"?',
    ],
    [
      role({ scope: { field: 'statu', operator: 'equal', value: 1 } }),
      'roles.support.collections.orders.scope.field: "orders" has no field "statu". Did you mean "status"?',
    ],
    [
      role({ scope: { field: 'status', operator: 'equal', value: '{{currentUser.tag.x}}' } }),
      'roles.support.collections.orders.scope: {{currentUser.tag.x}} stands for nothing of a user.',
    ],
    [
      { roles: { support: { collections: { '*': { scope: { field: 'status', operator: 'present' } } } } } },
      'roles.support.collections.*.scope.field: "customers" has no field "status". The scope is for every other collection: give "customers" an entry of its own.',
    ],
    [
      role({ fields: { status: { read: 'initals' } } }),
      'roles.support.collections.orders.fields.status.read: There is no mask "initals". Did you mean "initials"?',
    ],
    [
      { roles: {}, clients: { sync: { collections: { '*': { fields: { name: { read: 'last5' } } } } } } },
      'clients.sync.collections.*.fields.name.read: There is no mask "last5". Did you mean "last4"?',
    ],
    [{}, 'roles: Invalid input: expected record, received undefined.'],
  ])('names the place and the nearest name: %j', (value, problem) => {
    const [first = ''] = problemsOf(value);
    expect(first.startsWith(problem), first).toBe(true);
  });

  it('takes a foreign key column, which the schema document names beside its fields', () => {
    const condition = { field: 'customer_id', operator: 'in', value: [1, 2] };
    expect(problemsOf(scope(condition))).toEqual([]);
    expect(problemsOf(role({ actions: { Refund: { trigger: { where: condition } } } }))).toEqual([]);
  });

  it('refuses an operator that is not one, at its place', () => {
    expect(problemsOf(scope({ field: 'status', operator: 'equals', value: 1 }))[0]).toContain(
      'teams.Ops.collections.orders.scope.operator: ',
    );
  });

  it('takes rules for columns, foreign keys and every other field', () => {
    const fields = { status: { read: 'last4', write: true }, customer_id: false, '*': { filter: false } };
    expect(problemsOf(role({ fields }))).toEqual([]);
    expect(problemsOf({ roles: { support: { collections: { '*': { fields: { name: false } } } } } })).toEqual([]);
  });

  it('takes a scope for every other collection that fits each of them', () => {
    const present = (field: string) => ({ scope: { field, operator: 'present' } });
    const collections = { customers: present('name'), '*': present('status') };
    expect(problemsOf({ roles: { support: { collections } } })).toEqual([]);
  });

  it('may refer to what a user has, follow relations, and use every star', () => {
    const document = {
      roles: { support: { collections: { '*': { browse: true, actions: { '*': { trigger: true } } } } } },
      teams: {
        Ops: {
          collections: {
            orders: {
              scope: {
                field: 'customer:name',
                operator: 'in',
                value: ['{{currentUser.tags.region}}', '{{currentUser.team.name}}'],
              },
            },
          },
        },
      },
      ipRules: ['192.0.2.1', '2001:db8::/40', { from: '10.0.0.1', to: '10.0.0.9' }],
    };
    expect(problemsOf(document)).toEqual([]);
  });
});

describe('rights in words', () => {
  const document: PermissionFile = {
    roles: {
      support: {
        collections: {
          orders: {
            browse: true,
            edit: false,
            actions: {
              Refund: {
                trigger: true,
                needsApproval: { where: { field: 'amount', operator: 'greater_than', value: 100 } },
                selfApprove: true,
              },
            },
          },
          customers: {},
        },
      },
    },
    teams: { Ops: { collections: { orders: { scope: { field: 'paid_at', operator: 'present' } } } } },
    people: { 'ada@example.test': { tags: { region: 'north' } } },
    ipRules: ['192.0.2.1'],
  };

  it('say what fields a role may use', () => {
    const fields = {
      '*': false,
      a: true,
      b: { read: 'last4' },
      c: { read: 'email', write: true },
      d: { filter: false, write: false },
    };
    expect(rightsInWords({ roles: { support: { collections: { orders: { fields } } } } })).toEqual([
      'Role "support" does not see every other field of "orders"',
      'Role "support" sees "a" of "orders"',
      'Role "support" sees "b" of "orders" by the mask "last4", and may not filter by it or write it',
      'Role "support" sees "c" of "orders" by the mask "email", and may not filter by it',
      'Role "support" sees "d" of "orders", and may not filter by it or write it',
    ]);
  });

  it('say on which records a role has its rights', () => {
    const condition = { field: 'status', operator: 'equal', value: 'paid' };
    expect(
      rightsInWords({ roles: { support: { collections: { orders: { scope: condition, browse: true } } } } }),
    ).toEqual([
      'Role "support" has its rights on "orders" only where status equal "paid"',
      'Role "support" may browse "orders"',
    ]);
  });

  it('say everything once', () => {
    expect(rightsInWords(document)).toEqual([
      'Role "support" may browse "orders"',
      'Role "support" may trigger "Refund" of "orders"',
      'Role "support" needs an approval for "Refund" of "orders" where amount greater than 100',
      'Role "support" may approve own requests for "Refund" of "orders"',
      'Role "support" may do nothing with "customers"',
      'Team "Ops" exists',
      'Team "Ops" sees "orders" only where paid_at present',
      'ada@example.test has the tag region = "north"',
      'No address reaches the data but those that are named',
      '192.0.2.1 reaches the data',
    ]);
  });

  it('tell two documents apart by what only one of them says', () => {
    const { ipRules: _rules, ...open } = document;
    expect(
      differenceInWords(document, { ...open, roles: { support: { collections: { '*': { read: true } } } } }),
    ).toEqual({
      removed: [
        ...rightsInWords(document).slice(0, 5),
        'No address reaches the data but those that are named',
        '192.0.2.1 reaches the data',
      ],
      added: ['Role "support" may read every other collection'],
    });
    expect(differenceInWords(document, structuredClone(document))).toEqual({ removed: [], added: [] });
    expect(differenceInWords(null, { roles: { nobody: { collections: {} } } }).added).toEqual([
      'Role "nobody" may do nothing',
    ]);
  });
});

it('restrictions are the sentences that take something away from others', () => {
  const where = { field: 'status', operator: 'equal', value: 'draft' } as const;
  const orders = {
    browse: true,
    scope: where,
    fields: { iban: { read: 'last4' }, '*': true },
    actions: { Ship: { trigger: true, needsApproval: true } },
  };
  const rights: PermissionFile = {
    roles: { support: { collections: { orders } }, guests: { collections: {} } },
    teams: { North: { collections: { orders: { scope: where } } } },
    clients: { '*': { collections: { orders: { browse: true } }, recordsPerCall: 5 } },
    ipRules: ['192.0.2.1'],
  };
  const restrictions = restrictionsInWords(rights);
  const of = (part: string) => restrictions.filter((sentence) => sentence.includes(part));
  expect(of('Role "support"')).toEqual([
    'Role "support" has its rights on "orders" only where status equal "draft"',
    'Role "support" needs an approval for "Ship" of "orders"',
    expect.stringMatching(/^Role "support" sees "iban" of "orders" by the mask "last4"/),
  ]);
  expect(restrictions.filter((sentence) => !sentence.includes('Role "support"'))).toEqual([
    'Role "guests" may do nothing',
    'Team "North" sees "orders" only where status equal "draft"',
    'Every other client may use 5 records a call',
    'No address reaches the data but those that are named',
  ]);
  const all = rightsInWords(rights);
  expect(restrictions.every((sentence) => all.includes(sentence))).toBe(true);
  expect(restrictionsInWords(null)).toEqual([]);
});

it('an elevation, and the roles of a person, are a sentence each', () => {
  const roles = { root: { collections: {}, elevation: { by: ['support'] } }, support: { collections: {} } };
  const before: PermissionFile = { roles };
  const free = { by: ['support'], maxMinutes: 5, needsApproval: false };
  const after: PermissionFile = {
    roles: { ...roles, root: { collections: {}, elevation: free } },
    people: { 'ada@example.test': { roles: ['support', 'root'] } },
  };
  const may = 'Role "root" may be taken';
  expect(differenceInWords(before, after)).toEqual({
    removed: [`${may} for 60 minutes at most by people with the role "support", when somebody else agrees`],
    added: [
      `${may} for 5 minutes at most by people with the role "support"`,
      'ada@example.test has the roles "support" and "root"',
    ],
  });
});
