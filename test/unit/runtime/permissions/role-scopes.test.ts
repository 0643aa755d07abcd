import { describe, expect, it } from 'vitest';
import type { EnvironmentPermissions, FieldPermission, PlatformUser } from '#contracts/permissions';
import type { ActionRun, RightOnRecords } from '#runtime/permissions/authoriser';
import { type FieldRule, fieldRulesIn, unitedRule } from '#runtime/permissions/field-rules';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { action, caller, noRights, renderingWith, setUp, user } from './permission-fixtures.ts';

type Document = Exclude<EnvironmentPermissions, true>;
type Scopes = NonNullable<Document['collections'][string]['scopes']>;

const is = (value: unknown) => ({ field: 'status', operator: 'equal', value });
const leaf = (value: unknown) => ({ field: 'status', operator: 'Equal', value });
const scoped = (roleId: number, value: unknown) => ({ roleId, filter: is(value) });
const held = (...ids: readonly number[]): PlatformUser => ({
  ...user,
  heldRoles: ids.map((id) => ({ id, name: `role ${id}`, source: 'given' })),
});

function onOrders(rights: object, scopes: Scopes | undefined, further: object = {}): Document {
  const orders = { collection: { ...noRights, ...rights }, actions: {}, ...further };
  return { collections: { orders: { ...orders, ...(scopes ? { scopes } : {}) } } };
}

/** Roles 4 and 5 browse, and only role 5 edits. */
const rights = { browseEnabled: { roles: [4, 5] }, editEnabled: { roles: [5] } };

function scopesOf(
  scopes: Scopes | undefined,
  { holder = held(4, 5), ofTeam = null }: { readonly holder?: PlatformUser; readonly ofTeam?: unknown } = {},
) {
  const { authoriser } = setUp({
    environmentPermissions: async () => onOrders(rights, scopes),
    users: async () => [holder],
    renderingPermissions: async () => renderingWith(ofTeam),
  });
  return (right: RightOnRecords) => authoriser.scopeOf(caller, 'orders', right);
}

describe('the scope of a role', () => {
  it('holds for the rights that the role gives, and for no other', async () => {
    const scope = scopesOf([scoped(4, 'paid'), scoped(5, 'open')]);
    expect(await scope('browse')).toEqual({ aggregator: 'Or', conditions: [leaf('paid'), leaf('open')] });
    expect(await scope('edit')).toEqual(leaf('open'));
    // Nobody reads it.
    expect(await scope('read')).toEqual({ aggregator: 'Or', conditions: [] });
  });

  it('restricts nothing that a role without a scope gives', async () => {
    const scope = scopesOf([scoped(4, 'paid')]);
    expect(await scope('browse')).toBeUndefined();
    expect(await scope('edit')).toBeUndefined();
  });

  it('narrows what the team shows', async () => {
    const scope = scopesOf([scoped(4, 'paid'), scoped(5, 'open')], { ofTeam: is('new') });
    expect(await scope('edit')).toEqual({ aggregator: 'And', conditions: [leaf('new'), leaf('open')] });
  });

  it('is filled in for the user, and closes only its own part where it cannot be', async () => {
    const ofCountry = { roleId: 4, filter: is('{{currentUser.tags.country}}') };
    const ofRegion = { roleId: 5, filter: is('{{currentUser.tags.region}}') };
    expect(await scopesOf([ofCountry, ofRegion])('browse')).toEqual(leaf('FR'));
    await expect(scopesOf([ofCountry, ofRegion])('edit')).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
      message: 'The scope of "orders" refers to currentUser.tags.region, which you do not have.',
    });
    await expect(scopesOf([scoped(4, 'paid'), { roleId: 5, filter: 'broken' }])('edit')).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
    });
  });

  it('means the team by which a record is seen', async () => {
    const teams = [
      { id: 3, name: 'North', source: 'given' },
      { id: 4, name: 'South', source: 'given' },
    ];
    const { authoriser } = setUp({
      environmentPermissions: async () => onOrders(rights, [scoped(4, '{{currentUser.team.name}}')]),
      users: async () => [{ ...user, heldTeams: teams }],
      renderingPermissions: async (id) => ({
        ...renderingWith({ field: 'area', operator: 'equal', value: id }),
        team: { id, name: id === 3 ? 'North' : 'South' },
      }),
    });
    const ofTeam = (id: number, name: string) => ({
      aggregator: 'And',
      conditions: [{ field: 'area', operator: 'Equal', value: id }, leaf(name)],
    });
    expect(await authoriser.scopeOf(caller, 'orders', 'browse')).toEqual({
      aggregator: 'Or',
      conditions: [ofTeam(3, 'North'), ofTeam(4, 'South')],
    });
  });

  it('is the same object each time, also for two rights of the same roles, and costs nothing without scopes', async () => {
    const { authoriser } = setUp({
      environmentPermissions: async () =>
        onOrders({ ...rights, readEnabled: { roles: [4, 5] } }, [scoped(4, 'paid'), scoped(5, 'open')]),
      users: async () => [held(4, 5)],
    });
    await authoriser.scopeOf(caller, 'orders', 'browse');
    const known = authoriser.scopeOf(caller, 'orders', 'browse');
    expect(known).not.toBeInstanceOf(Promise);
    expect(authoriser.scopeOf(caller, 'orders', 'read')).toBe(known);
    expect(authoriser.scopeOf(caller, 'orders', 'edit')).toEqual(leaf('open'));
    const unscoped = scopesOf(undefined);
    await unscoped('browse');
    expect(unscoped('delete')).toBeUndefined();
  });

  it('is never newer than the rights to fields that a request is answered with', async () => {
    const hidden: FieldPermission = { roles: [4], read: false, filter: false, write: false };
    let document = onOrders(rights, [scoped(4, 'paid')], { fields: { total: [hidden] } });
    const { authoriser, documents } = setUp({
      environmentPermissions: async () => document,
      users: async () => [user],
    });
    const own = authoriser.forRules(await authoriser.fieldRulesOf(caller));
    expect(await own.scopeOf(caller, 'orders', 'browse')).toEqual(leaf('paid'));
    document = onOrders(rights, [scoped(4, 'open')]);
    documents.forget('environment');
    await expect(own.scopeOf(caller, 'orders', 'browse')).rejects.toMatchObject({
      code: 'REQUEST_FORBIDDEN',
      message: 'Your rights have just changed.',
    });
  });
});

/** Runs or approves an action on records by their status, as somebody with the roles 4 and 5. */
function run(rightsOfAction: object, records: readonly string[], asked: Partial<ActionRun> = {}) {
  const { authoriser } = setUp({
    environmentPermissions: async () =>
      onOrders({}, [scoped(4, 'paid'), scoped(5, 'open')], {
        actions: { refund: { ...action, triggerEnabled: { roles: [4, 5] }, ...rightsOfAction } },
      }),
    users: async () => [held(4, 5)],
  });
  const matches = (condition: ConditionTree | undefined, status: string): boolean => {
    if (!condition) return true;
    if (!('conditions' in condition)) return condition.value === status;
    const all = condition.conditions.map((inner) => matches(inner, status));
    return condition.aggregator === 'Or' ? all.includes(true) : !all.includes(false);
  };
  const count = async (condition: ConditionTree | undefined) =>
    records.filter((status) => matches(condition, status)).length;
  return authoriser.requireActionRun(caller, { collection: 'orders', action: 'refund', count, ...asked });
}

describe('the scope of a role that may run an action', () => {
  it('says for which records the role needs no approval', async () => {
    const duty = { approvalRequired: { roles: [4] } };
    await run(duty, ['open']);
    await expect(run(duty, ['open', 'paid'])).rejects.toMatchObject({ code: 'ACTION_APPROVAL_REQUIRED' });
  });

  it('says on which records its condition counts', async () => {
    const conditional = { triggerConditions: [scoped(5, 'lost')] };
    await run(conditional, ['paid']);
    await expect(run(conditional, ['lost'])).rejects.toMatchObject({ code: 'ACTION_TRIGGER_FORBIDDEN' });
  });

  it('says which records the role approves', async () => {
    const approving = { userApprovalEnabled: { roles: [5] } };
    await run(approving, ['open'], { requesterId: 1 });
    await expect(run(approving, ['paid'], { requesterId: 1 })).rejects.toMatchObject({
      code: 'ACTION_APPROVAL_NOT_ALLOWED',
    });
  });
});

describe('a field that roles with scopes open', () => {
  const closed = { read: false, filter: false, write: false };
  const open: FieldRule = { read: true, filter: true, write: true };
  const everything = { browseEnabled: true, readEnabled: true, editEnabled: true, addEnabled: true };
  /** What somebody with roles may do with the totals of orders, which some roles hide. */
  const total = (scopes: Scopes, hiding: readonly FieldPermission[], of: object = everything): FieldRule => {
    const document = onOrders(of, scopes, { fields: { total: hiding } });
    const roles = fieldRulesIn(document, held(4, 5))?.collections.get('orders');
    if (!roles) return open;
    return unitedRule(roles.map(({ fields, ...lent }) => ({ ...lent, rule: fields.get('total') ?? open })));
  };
  const hiddenFrom = (role: number): FieldPermission[] => [{ roles: [role], ...closed }];

  it('is closed where a role closes it that shows other records', () => {
    expect(total([scoped(4, 'paid')], hiddenFrom(5))).toEqual(closed);
    expect(total([scoped(4, 'paid'), scoped(5, 'open')], hiddenFrom(5))).toEqual(closed);
  });

  it('is open where a role opens it that shows all records, or the same ones', () => {
    expect(total([scoped(4, 'paid')], hiddenFrom(4))).toEqual(open);
    expect(total([scoped(4, 'paid'), scoped(5, 'paid')], hiddenFrom(5))).toEqual(open);
  });

  it('is not opened to readers by a role that writes everywhere and reads nothing', () => {
    const of = { browseEnabled: { roles: [4] }, editEnabled: { roles: [5] } };
    expect(total([scoped(4, 'paid')], hiddenFrom(4), of)).toEqual(closed);
  });

  it('is written by the roles that may write, whatever those close that only read', () => {
    const unwritten: FieldPermission[] = [{ roles: [4], read: true, filter: true, write: false }];
    const of = { browseEnabled: true, editEnabled: { roles: [5] } };
    expect(total([scoped(4, 'paid'), scoped(5, 'open')], unwritten, of)).toEqual(open);
    expect(total([scoped(4, 'paid'), scoped(5, 'open')], unwritten)).toEqual({ ...open, write: false });
  });
});
