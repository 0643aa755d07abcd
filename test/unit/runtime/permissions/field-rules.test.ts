import { describe, expect, it } from 'vitest';
import type { EnvironmentPermissions, FieldPermission } from '#contracts/permissions';
import { type FieldRules, fieldRulesIn, unitedRule } from '#runtime/permissions/field-rules';
import { caller, noRights, permissions, setUp } from './permission-fixtures.ts';

const hidden = { read: false, filter: false, write: false };

/** The permissions of the fixtures, with rules for the fields of orders. */
function withFields(fields: Readonly<Record<string, FieldPermission[]>>) {
  const { orders } = permissions.collections;
  if (!orders) throw new TypeError('The fixtures have no orders.');
  return { collections: { orders: { ...orders, fields } } };
}

/** The fields that each role has a rule for. */
function fieldsOfOrders(rules: FieldRules | undefined) {
  return rules?.collections.get('orders')?.map(({ fields }) => [...fields]);
}

const hiding = withFields({ total: [{ roles: [4], ...hidden }] });

describe('the rules of a role for fields', () => {
  it('are those that name the role', () => {
    const document = withFields({
      total: [{ roles: [5], ...hidden }],
      status: [{ roles: [4, 5], read: 'last4', filter: false, write: true }],
      '*': [{ roles: [4], read: true, filter: true, write: false }],
    });
    const rules = fieldRulesIn(document, { roleId: 4 });
    expect(fieldsOfOrders(rules)).toEqual([
      [
        ['status', { read: 'last4', filter: false, write: true }],
        ['*', { read: true, filter: true, write: false }],
      ],
    ]);
    expect(fieldRulesIn(document, { roleId: 4 })).toBe(rules);
    expect(fieldRulesIn(document, { roleId: 6 })).toBeUndefined();
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
    expect(fieldsOfOrders(fieldRulesIn(document, { roleId: 4 }))).toEqual([
      [
        ['total', { read: false, filter: false, write: true }],
        ['status', { read: 'last4', filter: false, write: false }],
      ],
    ]);
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

const open = { read: true, filter: true, write: true };
const held = (...ids: readonly number[]) => ({
  roleId: ids[0] ?? 0,
  heldRoles: ids.map((id) => ({ id, name: String(id), source: 'given' })),
});

describe('the rules of several roles', () => {
  const orders = (
    collection: Partial<Record<string, { roles: number[] }>>,
    fields: Record<string, FieldPermission[]>,
  ) => ({
    collections: {
      orders: { collection: { ...noRights, ...collection }, actions: {}, fields },
    },
  });
  const hiddenFor = (...roles: number[]) => ({ total: [{ roles, ...hidden }] });

  it('do not exist where another role opens every field for every right', () => {
    const rights = { browseEnabled: { roles: [4, 5] }, editEnabled: { roles: [4, 5] } };
    expect(fieldRulesIn(orders(rights, hiddenFor(4)), held(4, 5))).toBeUndefined();
  });

  it('count for the rights of their own role, and not where the other may do nothing', () => {
    const onlyEdits = fieldRulesIn(
      orders({ browseEnabled: { roles: [4, 5] }, editEnabled: { roles: [4] } }, hiddenFor(4)),
      held(4, 5),
    );
    expect(onlyEdits?.collections.get('orders')).toMatchObject([
      { reads: true, edits: true, adds: false },
      { reads: true, edits: false, adds: false },
    ]);
    const powerless = fieldRulesIn(orders({ browseEnabled: { roles: [4] } }, hiddenFor(4)), held(4, 5));
    expect(powerless?.collections.get('orders')).toHaveLength(1);
  });

  it('are kept by the set of roles', () => {
    const document = orders({ browseEnabled: { roles: [4, 5] }, editEnabled: { roles: [4] } }, hiddenFor(4));
    expect(fieldRulesIn(document, held(4, 5))).toBe(fieldRulesIn(document, held(4, 5)));
    expect(fieldRulesIn(document, held(4, 5))).not.toBe(fieldRulesIn(document, { roleId: 4 }));
  });

  it('let a value as it is win over a mask, and a mask over nothing', () => {
    const lent = (rule: typeof open | { read: string | boolean; filter: boolean; write: boolean }) => ({
      ...{ reads: true, edits: true, adds: true },
      rule,
    });
    const masked = { read: 'last4', filter: false, write: false };
    expect(unitedRule([lent(masked), lent(open)])).toEqual(open);
    expect(unitedRule([lent(hidden), lent(masked)])).toEqual(masked);
    expect(unitedRule([lent(hidden), lent(hidden)])).toEqual(hidden);
  });

  it('tell apart who may write a field in new records and in those that are there', () => {
    const unwritten = { ...open, write: false };
    const editor = { reads: true, edits: true, adds: false, rule: unwritten };
    const adder = { reads: true, edits: false, adds: true, rule: open };
    expect(unitedRule([editor, adder])).toEqual({ ...open, writtenBy: 'add' });
    expect(
      unitedRule([
        { ...editor, rule: open },
        { ...adder, rule: unwritten },
      ]),
    ).toEqual({ ...open, writtenBy: 'edit' });
    expect(unitedRule([{ ...editor, rule: open }, adder])).toEqual(open);
    expect(unitedRule([editor, { ...adder, adds: false }])).toEqual(unwritten);
  });
});
