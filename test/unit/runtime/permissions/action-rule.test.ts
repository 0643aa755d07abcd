import { describe, expect, it } from 'vitest';
import type { ActionRights } from '#contracts/permissions';
import type { ConditionTree } from '#runtime/query/condition-tree';
import { action, caller, noRights, setUp, user } from './permission-fixtures.ts';

const rich = { field: 'fee', operator: 'greater_than', value: 900, source: 'data' };
const richTree = { field: 'fee', operator: 'GreaterThan', value: 900 };
const at = (roleId: number, filter: unknown = rich) => [{ roleId, filter }];

interface Selection {
  /** The records that the caller sees, and how many of them are rich. */
  readonly visible?: number;
  readonly visibleRich?: number;
  readonly requesterId?: number;
}

/** Run the action `ship` with some rights on some records: first with permissions that are fetched, then with those at hand. */
async function run(rights: Partial<ActionRights>, selection: Selection = {}, users = [user]) {
  const { authoriser } = setUp({
    users: async () => users,
    environmentPermissions: async () => ({
      collections: { orders: { collection: noRights, actions: { ship: { ...action, ...rights } } } },
    }),
  });
  const { visible = 3, visibleRich = 1, requesterId } = selection;
  const runOnce = async () => {
    const counted: (ConditionTree | undefined)[] = [];
    const answer = authoriser.requireActionRun(caller, {
      collection: 'orders',
      action: 'ship',
      requesterId,
      count: async (condition) => {
        counted.push(condition);
        return condition ? visibleRich : visible;
      },
    });
    const outcome = await answer.then(
      () => 'allowed' as const,
      (error: { code: string; details: unknown }) => ({ code: error.code, ...(error.details as object) }),
    );
    return { outcome, counted };
  };
  const first = await runOnce();
  expect(await runOnce()).toEqual(first);
  return first;
}

const outcomeOf = async (...args: Parameters<typeof run>) => (await run(...args)).outcome;
const triggerForbidden = { code: 'ACTION_TRIGGER_FORBIDDEN' };
const needsApprovalOf = (...roles: number[]) => ({ code: 'ACTION_APPROVAL_REQUIRED', roleIdsAllowedToApprove: roles });
const mayNotApprove = (...roles: number[]) => ({ code: 'ACTION_APPROVAL_NOT_ALLOWED', roleIdsAllowedToApprove: roles });

describe('running an action on one’s own', () => {
  it('takes the right to trigger', async () => {
    expect(await outcomeOf({})).toBe('allowed');
    expect(await outcomeOf({ triggerEnabled: { roles: [5] } })).toEqual(triggerForbidden);
  });

  it('counts nothing where there is no condition', async () => {
    expect((await run({})).counted).toEqual([]);
  });

  it('counts once for each condition, however often it decides', async () => {
    const { outcome, counted } = await run({ triggerConditions: at(4) }, { visible: 2, visibleRich: 1 });
    expect(outcome).toEqual(triggerForbidden);
    expect(counted).toHaveLength(2);
  });

  it.each<[string, Selection, unknown]>([
    ['all of them fulfil it', { visible: 3, visibleRich: 3 }, 'allowed'],
    ['one does not', { visible: 3, visibleRich: 2 }, triggerForbidden],
    ['nothing is selected', { visible: 0, visibleRich: 0 }, 'allowed'],
  ])('under a trigger condition depends on every record: %s', async (_case, selection, expected) => {
    expect(await outcomeOf({ triggerConditions: at(4) }, selection)).toEqual(expected);
  });

  it('is not bound by the conditions of other roles', async () => {
    expect(await outcomeOf({ triggerConditions: at(5) }, { visibleRich: 0 })).toBe('allowed');
    expect(await outcomeOf({ triggerConditions: at(4, null) }, { visibleRich: 0 })).toBe('allowed');
  });

  it('needs an approval where the role does, whatever the records', async () => {
    expect(await outcomeOf({ approvalRequired: { roles: [4] } })).toEqual(needsApprovalOf(9));
    expect(await outcomeOf({ approvalRequired: true })).toEqual(needsApprovalOf(9));
    expect(await outcomeOf({ approvalRequired: { roles: [5] } })).toBe('allowed');
  });

  it.each<[string, Selection, unknown]>([
    ['none of them fulfils it', { visibleRich: 0 }, 'allowed'],
    ['one does', { visibleRich: 1 }, needsApprovalOf(9)],
    ['nothing is selected', { visible: 0, visibleRich: 0 }, 'allowed'],
  ])('needs a conditional approval for a single record: %s', async (_case, selection, expected) => {
    const rights = { approvalRequired: { roles: [4] }, approvalRequiredConditions: at(4) };
    expect(await outcomeOf(rights, selection)).toEqual(expected);
  });

  it('is refused for the condition before the approval', async () => {
    const rights = { triggerConditions: at(4), approvalRequired: true };
    expect(await outcomeOf(rights, { visible: 2, visibleRich: 1 })).toEqual(triggerForbidden);
  });
});

describe('the right to run an action that is known already', () => {
  const count = () => Promise.reject(new Error('Nothing is to be counted.'));
  const permitting = (actions: Record<string, ActionRights>) => ({
    collections: { 'a b': { collection: noRights, actions }, a: { collection: noRights, actions: {} } },
  });

  it('is not a right to run another one, or one of another collection', async () => {
    const { authoriser } = setUp({ environmentPermissions: async () => permitting({ c: action }) });
    await authoriser.requireReadOn(caller, []);
    await authoriser.requireActionRun(caller, { collection: 'a b', action: 'c', count });
    for (const [collection, name] of [['a b', 'd'] as const, ['a', 'b c'] as const, ['a', 'c'] as const]) {
      const answer = authoriser.requireActionRun(caller, { collection, action: name, count });
      await expect(answer).rejects.toMatchObject(triggerForbidden);
    }
  });

  it('ends with the permissions that gave it', async () => {
    let rights = action;
    const { authoriser, documents } = setUp({ environmentPermissions: async () => permitting({ c: rights }) });
    const runIt = () => authoriser.requireActionRun(caller, { collection: 'a b', action: 'c', count });
    await runIt();
    await runIt();
    rights = { ...action, triggerEnabled: { roles: [5] } };
    await runIt();
    documents.forget('environment');
    await expect(runIt()).rejects.toMatchObject(triggerForbidden);
  });

  it('is not a right to approve', async () => {
    const { authoriser } = setUp({ environmentPermissions: async () => permitting({ c: action }) });
    const runFor = (requesterId: number | undefined) =>
      authoriser.requireActionRun(caller, { collection: 'a b', action: 'c', requesterId, count });
    await runFor(undefined);
    await runFor(undefined);
    await expect(runFor(8)).rejects.toMatchObject({ code: 'ACTION_APPROVAL_NOT_ALLOWED' });
  });
});

describe('the roles that may approve', () => {
  const needed = { approvalRequired: true };

  it('are those of the right, without a condition or with one that covers the whole selection', async () => {
    const rights = { ...needed, userApprovalEnabled: { roles: [9, 8, 3] }, userApprovalConditions: at(8) };
    expect(await outcomeOf(rights, { visible: 2, visibleRich: 1 })).toEqual(needsApprovalOf(3, 9));
    expect(await outcomeOf(rights, { visible: 2, visibleRich: 2 })).toEqual(needsApprovalOf(3, 8, 9));
  });

  it('are all roles of users where everybody may, and none where nobody may', async () => {
    const users = [user, { ...user, id: 8, roleId: 2 }, { ...user, id: 9, roleId: 2 }];
    expect(await outcomeOf({ ...needed, userApprovalEnabled: true }, {}, users)).toEqual(needsApprovalOf(2, 4));
    expect(await outcomeOf({ ...needed, userApprovalEnabled: false }, {}, users)).toEqual(needsApprovalOf());
  });

  it('are found by counting equal conditions once', async () => {
    const userApprovalConditions = [...at(8), ...at(9, { ...rich, operator: 'GreaterThan', source: 'input' })];
    const { counted } = await run({ ...needed, userApprovalEnabled: { roles: [8, 9] }, userApprovalConditions });
    expect(counted).toEqual([richTree, undefined]);
  });
});

describe('running an action with the approval of the caller', () => {
  it('takes the right to approve, not that to trigger', async () => {
    const rights = { triggerEnabled: false, approvalRequired: true, userApprovalEnabled: { roles: [4] } };
    expect(await outcomeOf(rights, { requesterId: 8 })).toBe('allowed');
    expect(await outcomeOf({}, { requesterId: 8 })).toEqual(mayNotApprove(9));
  });

  it('takes the right to approve what one has asked for oneself', async () => {
    const rights = { userApprovalEnabled: { roles: [4] }, selfApprovalEnabled: { roles: [5] } };
    expect(await outcomeOf(rights, { requesterId: 7 })).toEqual(mayNotApprove(4));
    expect(await outcomeOf({ selfApprovalEnabled: true }, { requesterId: 7 })).toBe('allowed');
  });

  it('is bound by the condition of the role on every record', async () => {
    const rights = { userApprovalEnabled: { roles: [4] }, userApprovalConditions: at(4) };
    expect(await outcomeOf(rights, { visible: 2, visibleRich: 2, requesterId: 8 })).toBe('allowed');
    expect(await outcomeOf(rights, { visible: 2, visibleRich: 1, requesterId: 8 })).toEqual(mayNotApprove());
  });
});

describe('the reading of the permissions of an action', () => {
  it.each([
    ['an operator that does not exist', { ...rich, operator: 'nope' }],
    ['the user', { ...rich, value: '{{currentUser.id}}' }],
    ['an aggregator that does not exist', { aggregator: 'xor', conditions: [rich] }],
    ['nothing', {}],
  ])('refuses a condition with %s', async (_case, filter) => {
    expect(await outcomeOf({ triggerConditions: at(4, filter) })).toEqual({ code: 'ACTION_CONDITION_INVALID' });
  });

  it('refuses an action that they do not name', async () => {
    const { authoriser } = setUp();
    const asked = { collection: 'orders', action: 'sell', count: async () => 1 };
    await expect(authoriser.requireActionRun(caller, asked)).rejects.toMatchObject(triggerForbidden);
    await expect(authoriser.requireActionRun(caller, { ...asked, requesterId: 8 })).rejects.toMatchObject({
      code: 'ACTION_APPROVAL_NOT_ALLOWED',
    });
  });
});

describe('an action in development', () => {
  it('needs no right and no approval', async () => {
    const { authoriser } = setUp({ environmentPermissions: async () => true });
    await authoriser.requireActionRun(caller, {
      collection: 'x',
      action: 'y',
      requesterId: 1,
      count: async () => 1,
    });
  });
});
