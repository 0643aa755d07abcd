import { describe, expect, it } from 'vitest';
import type { ClientPermissions } from '#contracts/client-permissions';
import { clientRulesIn } from '#runtime/permissions/client-rules';

const reading = { browse: true, read: true };
const permissions: ClientPermissions = {
  clients: {
    reporting: {
      collections: { orders: { ...reading, actions: { '*': true, Refund: false } } },
      tools: ['list', 'getRecord'],
    },
    '*': { collections: { orders: reading }, recordsPerCall: 10, writesPerHour: 5 },
  },
  grants: [
    { id: 'a', countsAs: 'reporting', rights: null },
    { id: 'b', countsAs: null, rights: { tools: ['list', 'create'], recordsPerCall: 50 } },
    { id: 'c', countsAs: 'reporting', rights: { tools: ['list', 'create'], writesPerHour: 0 } },
  ],
};

const rulesOf = (id: string, grant?: string, of = permissions) => clientRulesIn(of, { id, name: id, grant });

describe('the rules for a program', () => {
  it('are those of its name, else those of every other program', () => {
    expect(rulesOf('reporting')?.limits).toMatchObject({ tools: new Set(['list', 'getRecord']) });
    expect(rulesOf('somebody')?.limits).toMatchObject({ tools: undefined, recordsPerCall: 10, writesPerHour: 5 });
    expect(rulesOf('constructor')?.has('orders', 'edit')).toBe(false);
  });

  it('leave nothing to a program that rights without "*" do not name', () => {
    const rules = rulesOf('somebody', undefined, { clients: { reporting: {} }, grants: [] });
    expect(rules?.has('orders', 'browse')).toBe(false);
    expect(rules?.mayRun('orders', 'Ship')).toBe(false);
    expect(rules?.limits?.tools).toEqual(new Set());
  });

  it('do not exist where nobody has set any', () => {
    expect(rulesOf('somebody', undefined, { clients: null, grants: [] })).toBeUndefined();
  });

  it('name what it may do with collections and actions, and deny the rest', () => {
    const rules = rulesOf('reporting');
    expect(rules?.has('orders', 'read')).toBe(true);
    expect(rules?.has('orders', 'delete')).toBe(false);
    expect(rules?.has('customers', 'read')).toBe(false);
    expect([rules?.mayRun('orders', 'Ship'), rules?.mayRun('orders', 'Refund')]).toEqual([true, false]);
    expect(rulesOf('somebody')?.mayRun('orders', 'Ship')).toBe(false);
  });

  it('hold together with what was set for the grant', () => {
    expect(rulesOf('x', 'a')?.limits).toMatchObject({
      tools: new Set(['list', 'getRecord']),
      recordsPerCall: undefined,
    });
    expect(rulesOf('x', 'b')?.limits).toMatchObject({ tools: new Set(['list', 'create']), recordsPerCall: 10 });
    expect(rulesOf('x', 'c')?.limits).toMatchObject({ tools: new Set(['list']), writesPerHour: 0 });
    expect(rulesOf('x', 'b')?.has('customers', 'read')).toBe(false);
  });

  it('restrict fields by the strictest of what is said', () => {
    const masked = { read: 'last4' } as const;
    const rules = rulesOf('x', 'g', {
      clients: { '*': { collections: { staff: { ...reading, fields: { '*': false, name: true, iban: masked } } } } },
      grants: [
        {
          id: 'g',
          countsAs: null,
          rights: {
            collections: {
              staff: { ...reading, fields: { iban: { read: true, write: false }, pay: { filter: false } } },
            },
          },
        },
      ],
    });
    const staff = rules?.fieldRules?.collections.get('staff')?.[0]?.fields;
    expect(staff?.get('name')).toEqual({ read: true, filter: true, write: true });
    expect(staff?.get('iban')).toEqual({ read: 'last4', filter: false, write: false });
    expect(staff?.get('pay')).toEqual({ read: false, filter: false, write: false });
    expect(staff?.get('*')).toEqual({ read: false, filter: false, write: false });
  });
});
