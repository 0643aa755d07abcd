import { describe, expect, it } from 'vitest';
import type { EnvironmentPermissions, PlatformUser, RenderingPermissions } from '#contracts/permissions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { action, caller, noRights, renderingWith, setUp, user } from './permission-fixtures.ts';

const role = (id: number, endsAt?: string) => ({
  id,
  name: `role ${id}`,
  source: 'given',
  ...(endsAt ? { endsAt } : {}),
});
const team = (id: number) => ({ id, name: `team ${id}`, source: 'given' });

function withRoles(...roles: readonly ReturnType<typeof role>[]): PlatformUser {
  return { ...user, heldRoles: [...roles] };
}

function onOrders(rights: object, actions: object = {}): Exclude<EnvironmentPermissions, true> {
  return { collections: { orders: { collection: { ...noRights, ...rights }, actions: { ...actions } } } };
}

const paid = { field: 'status', operator: 'equal', value: 'paid' };
const open = { field: 'status', operator: 'equal', value: 'open' };

describe('somebody with several roles', () => {
  it('has each right that one of the roles has, also by the documents at hand', async () => {
    const rights = { browseEnabled: { roles: [4] }, editEnabled: { roles: [5] }, deleteEnabled: { roles: [6] } };
    const { authoriser } = setUp({
      environmentPermissions: async () => onOrders(rights),
      users: async () => [withRoles(role(4), role(5))],
    });
    for (const right of ['browse', 'edit', 'browse', 'edit'] as const)
      await authoriser.require(caller, 'orders', right);
    await expect(authoriser.require(caller, 'orders', 'delete')).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
    const shown = await authoriser.rightsOf(caller);
    expect((['browse', 'edit', 'delete'] as const).map((right) => shown.has('orders', right))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('loses a role at its end, without a word of the platform', async () => {
    const rights = { editEnabled: { roles: [5] }, browseEnabled: { roles: [4] } };
    const { authoriser, documents, advance, calls } = setUp({
      environmentPermissions: async () => onOrders(rights),
      users: async () => [withRoles(role(4), role(5, new Date(1_000).toISOString()))],
    });
    documents.setAnnounced(true);
    await authoriser.require(caller, 'orders', 'edit');
    expect(authoriser.namesOf(caller).roles).toEqual(['role 4', 'role 5']);
    advance(999);
    await authoriser.require(caller, 'orders', 'edit');
    advance(1);
    await expect(authoriser.require(caller, 'orders', 'edit')).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
    await authoriser.require(caller, 'orders', 'browse');
    expect(authoriser.namesOf(caller).roles).toEqual(['role 4']);
    expect(calls.users).toBe(1);
  });
});

/** An authoriser for two roles, and records by their status. */
function runBy(rights: object, records: readonly string[]) {
  const { authoriser } = setUp({
    environmentPermissions: async () => onOrders({}, { refund: { ...action, ...rights } }),
    users: async () => [withRoles(role(4), role(5))],
  });
  const matches = (condition: ConditionTree | undefined, status: string): boolean => {
    if (!condition) return true;
    if ('conditions' in condition) {
      const all = condition.conditions.map((inner) => matches(inner, status));
      return condition.aggregator === 'Or' ? all.includes(true) : !all.includes(false);
    }
    return condition.value === status;
  };
  const count = async (condition: ConditionTree | undefined) =>
    records.filter((status) => matches(condition, status)).length;
  return authoriser.requireActionRun(caller, { collection: 'orders', action: 'refund', count });
}

describe('an action of somebody with several roles', () => {
  const both = { triggerEnabled: { roles: [4, 5] } };
  const conditions = {
    triggerConditions: [
      { roleId: 4, filter: paid },
      { roleId: 5, filter: open },
    ],
  };

  it('runs on records that the roles cover between them, and on no other', async () => {
    await runBy({ ...both, ...conditions }, ['paid', 'open']);
    await expect(runBy({ ...both, ...conditions }, ['paid', 'lost'])).rejects.toMatchObject({
      code: 'ACTION_TRIGGER_FORBIDDEN',
    });
  });

  it('runs on any record where one role has no condition, and by no condition of a role that may not run it', async () => {
    await runBy({ ...both, triggerConditions: [{ roleId: 4, filter: paid }] }, ['lost']);
    await expect(runBy({ triggerEnabled: { roles: [5] }, ...conditions }, ['paid'])).rejects.toMatchObject({
      code: 'ACTION_TRIGGER_FORBIDDEN',
    });
  });

  it('needs no approval where a role that needs none covers the records', async () => {
    const duty = { ...both, ...conditions, approvalRequired: { roles: [4] } };
    await runBy(duty, ['open']);
    await expect(runBy(duty, ['open', 'paid'])).rejects.toMatchObject({ code: 'ACTION_APPROVAL_REQUIRED' });
    // The condition of a duty is that of its role.
    const sometimes = { ...duty, approvalRequiredConditions: [{ roleId: 4, filter: open }] };
    await runBy(sometimes, ['paid']);
  });
});

const paidOnly = renderingWith(paid);
const openOnly = renderingWith(open);
const nothing: RenderingPermissions = { ...renderingWith(null), collections: {} };

describe('somebody with several teams', () => {
  const scopeFor = async (renderings: Readonly<Record<number, RenderingPermissions>>) => {
    const { authoriser } = setUp({
      environmentPermissions: async () => onOrders({ browseEnabled: true }),
      users: async () => [{ ...user, heldTeams: Object.keys(renderings).map((id) => team(Number(id))) }],
      renderingPermissions: async (id) => renderings[id] ?? nothing,
    });
    const first = await authoriser.scopeOf(caller, 'orders', 'browse');
    await authoriser.require(caller, 'orders', 'browse');
    const atHand = authoriser.scopeOf(caller, 'orders', 'browse');
    expect(atHand).toEqual(first);
    // Prepared lists are kept by the condition.
    expect(authoriser.scopeOf(caller, 'orders', 'browse')).toBe(atHand);
    return first;
  };
  const leaf = (value: string) => ({ field: 'status', operator: 'Equal', value });

  it('sees what one of them shows', async () => {
    expect(await scopeFor({ 3: paidOnly, 4: openOnly })).toEqual({
      aggregator: 'Or',
      conditions: [leaf('paid'), leaf('open')],
    });
    expect(await scopeFor({ 3: paidOnly, 4: renderingWith(null) })).toBeUndefined();
  });

  it('is closed only the part of a team that shows nothing, or whose scope cannot be filled in', async () => {
    expect(await scopeFor({ 3: nothing, 4: openOnly })).toEqual(leaf('open'));
    const unknown = renderingWith({ ...paid, value: '{{currentUser.tags.planet}}' });
    expect(await scopeFor({ 3: paidOnly, 4: unknown })).toEqual(leaf('paid'));
    await expect(scopeFor({ 3: nothing, 4: unknown })).rejects.toMatchObject({ code: 'REQUEST_FORBIDDEN' });
  });

  it('sees what the others show where a team was removed meanwhile, and nothing while the platform is away', async () => {
    const gone = cloudError('PLATFORM_REFUSED', 'The environment has no rendering 4.', 'Use another one.');
    const away = cloudError('PLATFORM_UNREACHABLE', 'The platform is away.', 'Wait.');
    const scopeWith = (error: Error) =>
      setUp({
        environmentPermissions: async () => onOrders({ browseEnabled: true }),
        users: async () => [{ ...user, heldTeams: [team(3), team(4)] }],
        renderingPermissions: async (id) => {
          if (id === 4) throw error;
          return paidOnly;
        },
      }).authoriser.scopeOf(caller, 'orders', 'browse');
    expect(await scopeWith(gone)).toEqual(leaf('paid'));
    await expect(scopeWith(away)).rejects.toBe(away);
  });

  it('is meant by {{currentUser.team.name}} as the team whose scope it is', async () => {
    const named = (id: number, name: string): RenderingPermissions => ({
      ...renderingWith({ field: 'owner', operator: 'equal', value: '{{currentUser.team.name}}' }),
      team: { id, name },
    });
    expect(await scopeFor({ 3: named(3, 'North'), 4: named(4, 'South') })).toMatchObject({
      conditions: [{ value: 'North' }, { value: 'South' }],
    });
  });
});
