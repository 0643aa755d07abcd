import { describe, expect, it } from 'vitest';
import type { EnvironmentPermissions, FieldPermission } from '#contracts/permissions';
import { fieldRulesIn } from '#runtime/permissions/field-rules';
import { caller, noRights, permissions, setUp } from './permission-fixtures.ts';

const hidden = { read: false, filter: false, write: false };

/** The permissions of the fixtures, with rules for the fields of orders. */
function withFields(fields: Readonly<Record<string, FieldPermission[]>>) {
  const { orders } = permissions.collections;
  if (!orders) throw new TypeError('The fixtures have no orders.');
  return { collections: { orders: { ...orders, fields } } };
}

const hiding = withFields({ total: [{ roles: [4], ...hidden }] });

describe('the rules of a role for fields', () => {
  it('are those that name the role', () => {
    const document = withFields({
      total: [{ roles: [5], ...hidden }],
      status: [{ roles: [4, 5], read: 'last4', filter: false, write: true }],
      '*': [{ roles: [4], read: true, filter: true, write: false }],
    });
    const rules = fieldRulesIn(document, 4);
    expect([...(rules?.collections.get('orders') ?? [])]).toEqual([
      ['status', { read: 'last4', filter: false, write: true }],
      ['*', { read: true, filter: true, write: false }],
    ]);
    expect(fieldRulesIn(document, 4)).toBe(rules);
    expect(fieldRulesIn(document, 6)).toBeUndefined();
  });

  it('are the strictest where a role is named twice, and two masks together hide', () => {
    const document = withFields({
      total: [
        { roles: [4], read: 'last4', filter: false, write: true },
        { roles: [4], read: 'email', filter: false, write: true },
      ],
      status: [
        { roles: [4], read: true, filter: true, write: false },
        { roles: [4], read: 'last4', filter: false, write: true },
      ],
    });
    expect(Object.fromEntries(fieldRulesIn(document, 4)?.collections.get('orders') ?? [])).toEqual({
      total: { read: false, filter: false, write: true },
      status: { read: 'last4', filter: false, write: false },
    });
  });

  it('cost nobody a wait who has none', async () => {
    const { authoriser } = setUp();
    await authoriser.require(caller, 'orders', 'browse');
    expect(authoriser.fieldRulesOf(caller)).toBeUndefined();
    const inDevelopment = setUp({ environmentPermissions: async () => true });
    await inDevelopment.authoriser.require(caller, 'orders', 'browse');
    expect(inDevelopment.authoriser.fieldRulesOf(caller)).toBeUndefined();
  });

  it('are never older than a few seconds where they deny', async () => {
    let document: EnvironmentPermissions = hiding;
    const { authoriser, advance } = setUp({ environmentPermissions: async () => document });
    expect(await authoriser.fieldRulesOf(caller)).toMatchObject({ key: expect.stringContaining('total') });
    document = permissions;
    advance(5_001);
    expect(await authoriser.fieldRulesOf(caller)).toBeUndefined();
  });
});

describe('an authoriser for the rules of a state', () => {
  it('allows nothing on newer permissions with other rules than those of the state', async () => {
    let document: EnvironmentPermissions = { collections: { orders: { collection: noRights, actions: {} } } };
    const { authoriser, advance } = setUp({ environmentPermissions: async () => document });
    await expect(authoriser.require(caller, 'orders', 'browse')).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
    document = hiding;
    advance(5_001);
    // The documents at hand know no rules yet, so the request is answered by the whole model.
    expect(await authoriser.fieldRulesOf(caller)).toBeUndefined();
    const changed = { code: 'REQUEST_FORBIDDEN', message: 'Your rights have just changed.' };
    await expect(authoriser.require(caller, 'orders', 'browse')).rejects.toMatchObject(changed);
    await expect(authoriser.rightsOf(caller)).rejects.toMatchObject(changed);
    const rules = await authoriser.fieldRulesOf(caller);
    await authoriser.forRules(rules).require(caller, 'orders', 'browse');
    expect((await authoriser.forRules(rules).rightsOf(caller)).has('orders', 'browse')).toBe(true);
  });

  it('goes on when the permissions are read again and say the same', async () => {
    const { authoriser, advance, calls } = setUp({ environmentPermissions: async () => structuredClone(hiding) });
    const own = authoriser.forRules(await authoriser.fieldRulesOf(caller));
    await own.require(caller, 'orders', 'browse');
    advance(16 * 60_000);
    await own.require(caller, 'orders', 'browse');
    expect(calls.environment).toBeGreaterThan(1);
  });
});
