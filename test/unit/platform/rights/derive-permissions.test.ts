import { describe, expect, it } from 'vitest';
import type { PermissionFile } from '#contracts/permission-file';
import { environmentPermissionsSchema, renderingPermissionsSchema } from '#contracts/permissions';
import {
  environmentPermissionsOf,
  ipRulesOf,
  personIn,
  renderingPermissionsOf,
} from '#platform/rights/derive-permissions';

const collections = [
  { name: 'orders', actions: [{ name: 'Refund' }, { name: 'Ship' }] },
  { name: 'customers', actions: [] },
];
const roleIds = new Map([
  ['support', 3],
  ['managers', 5],
]);

function derive(document: PermissionFile) {
  const derived = environmentPermissionsSchema.parse(environmentPermissionsOf(document, collections, roleIds));
  if (derived === true) throw new TypeError('Everything is allowed.');
  return derived.collections;
}

describe('permissions from a document', () => {
  it('deny what it does not name', () => {
    const { orders } = derive({ roles: { support: { collections: { orders: { browse: true, read: false } } } } });
    expect(orders?.collection).toEqual({
      browseEnabled: { roles: [3] },
      readEnabled: { roles: [] },
      editEnabled: { roles: [] },
      addEnabled: { roles: [] },
      deleteEnabled: { roles: [] },
      exportEnabled: { roles: [] },
    });
    expect(orders?.actions['Refund']?.triggerEnabled).toEqual({ roles: [] });
  });

  it('let the star stand for what the role does not name, and for nothing that it names', () => {
    const { orders, customers } = derive({
      roles: {
        support: { collections: { '*': { browse: true, read: true }, customers: { read: true } } },
        managers: { collections: { '*': { browse: true } } },
      },
    });
    expect(orders?.collection.browseEnabled).toEqual({ roles: [3, 5] });
    expect(customers?.collection.browseEnabled).toEqual({ roles: [5] });
    expect(customers?.collection.readEnabled).toEqual({ roles: [3] });
  });

  it('say which roles have their rights on some records, by the star too', () => {
    const scope = { field: 'status', operator: 'present' };
    const { orders, customers } = derive({
      roles: {
        support: { collections: { '*': { browse: true, scope } } },
        managers: { collections: { orders: { browse: true } } },
      },
    });
    expect(orders?.scopes).toEqual([{ roleId: 3, filter: scope }]);
    expect(customers?.scopes).toEqual([{ roleId: 3, filter: scope }]);
    const unscoped = derive({ roles: { support: { collections: { '*': { browse: true } } } } });
    expect(unscoped['orders']).not.toHaveProperty('scopes');
  });

  it('say by field which roles have a rule for it, and nothing where there are no rules', () => {
    const { orders, customers } = derive({
      roles: {
        support: { collections: { orders: { fields: { total: false, status: { read: 'last4', write: true } } } } },
        managers: { collections: { orders: { fields: { total: { write: false }, '*': true } } } },
      },
    });
    expect(orders?.fields).toEqual({
      total: [
        { roles: [3], read: false, filter: false, write: false },
        { roles: [5], read: true, filter: true, write: false },
      ],
      status: [{ roles: [3], read: 'last4', filter: false, write: true }],
      '*': [{ roles: [5], read: true, filter: true, write: true }],
    });
    expect(customers).not.toHaveProperty('fields');
  });

  it('let a rule for every other collection be about the collections that have the field', () => {
    const withFields = [
      { name: 'orders', actions: [], fields: [{ field: 'total' }], foreignKeys: ['customer_id'] },
      { name: 'customers', actions: [], fields: [{ field: 'name' }] },
    ];
    const fields = { name: false, customer_id: false, '*': { write: false } };
    const document: PermissionFile = { roles: { support: { collections: { '*': { fields } } } } };
    const derived = environmentPermissionsOf(document, withFields, roleIds);
    const of = (name: string) => (derived === true ? [] : Object.keys(derived.collections[name]?.fields ?? {}));
    expect([of('orders'), of('customers')]).toEqual([
      ['customer_id', '*'],
      ['name', '*'],
    ]);
  });

  it('take no name of the language for one of the document', () => {
    const named = derive({ roles: { support: { collections: { toString: { read: true } } } } });
    const derived = new Map(Object.entries(named)).get('toString');
    expect(derived?.collection.readEnabled).toEqual({ roles: [3] });
    const other = derive({ roles: { support: { collections: { valueOf: {}, '*': { read: true } } } } });
    const both = new Map(Object.entries(other));
    expect([both.get('valueOf'), both.get('orders')].map((entry) => entry?.collection.readEnabled)).toEqual([
      { roles: [] },
      { roles: [3] },
    ]);
  });

  it('give actions their conditions, role by role', () => {
    const where = { field: 'amount', operator: 'less_than', value: 9 } as const;
    const { orders } = derive({
      roles: {
        support: {
          collections: {
            orders: { actions: { Refund: { trigger: { where }, needsApproval: { where } }, '*': { trigger: true } } },
          },
        },
        managers: { collections: { orders: { actions: { Refund: { approve: { where }, selfApprove: true } } } } },
      },
    });
    expect(orders?.actions).toEqual({
      Refund: {
        triggerEnabled: { roles: [3] },
        triggerConditions: [{ roleId: 3, filter: where }],
        approvalRequired: { roles: [3] },
        approvalRequiredConditions: [{ roleId: 3, filter: where }],
        userApprovalEnabled: { roles: [5] },
        userApprovalConditions: [{ roleId: 5, filter: where }],
        selfApprovalEnabled: { roles: [5] },
      },
      Ship: expect.objectContaining({ triggerEnabled: { roles: [3] }, approvalRequired: { roles: [] } }),
    });
  });
});

describe('the view of a team', () => {
  const rendering = { id: 7, team: 'Ops' };
  const see = (teams: PermissionFile['teams']) => {
    const document = teams ? { roles: {}, teams } : { roles: {} };
    return renderingPermissionsSchema.parse(renderingPermissionsOf(document, collections, rendering));
  };

  it('is everything where nobody named teams, and nothing for a team that is not named', () => {
    const all = { scope: null, segments: [], liveQuerySegments: [] };
    expect(see(undefined).collections).toEqual({ orders: all, customers: all });
    expect(see({ Sales: {} }).collections).toEqual({});
  });

  it('is narrowed by scopes, and has the segments and charts of the team', () => {
    const scope = { field: 'status', operator: 'present' } as const;
    const chart = { type: 'Value', sourceCollectionName: 'orders' };
    const segments = [{ query: 'select 1', connection: 'main' }, { query: 'select 2' }];
    expect(see({ Ops: { collections: { orders: { scope, segments } }, charts: [chart] } })).toEqual({
      team: { id: 7, name: 'Ops' },
      collections: {
        orders: {
          scope,
          segments: ['select 2'],
          liveQuerySegments: [{ connectionName: 'main', query: 'select 1' }],
        },
        customers: { scope: null, segments: [], liveQuerySegments: [] },
      },
      stats: [chart],
    });
  });
});

it('people are found whatever the case of their address', () => {
  const document = { roles: {}, people: { 'Ada@Example.test': { role: 'support', tags: { region: 'north' } } } };
  expect(personIn(document, 'ada@example.test')).toEqual({ roles: ['support'], tags: { region: 'north' } });
  expect(personIn(document, 'bob@example.test')).toEqual({ roles: undefined, tags: {} });
});

it('address rules take the forms that agents know', () => {
  expect(ipRulesOf({ roles: {} })).toEqual({ use_ip_whitelist: false, rules: [] });
  expect(ipRulesOf({ roles: {}, ipRules: ['192.0.2.1', '10.0.0.0/8', { from: '::1', to: '::9' }] })).toEqual({
    use_ip_whitelist: true,
    rules: [
      { type: 0, ip: '192.0.2.1' },
      { type: 2, range: '10.0.0.0/8' },
      { type: 1, ipMinimum: '::1', ipMaximum: '::9' },
    ],
  });
});
