import { describe, expect, it } from 'vitest';
import { caller, permissions, renderingWith, setUp, user } from './permission-fixtures.ts';

const denied = { code: 'REQUEST_FORBIDDEN' };

describe('rights', () => {
  it('allows what is allowed to everybody or to the role of the caller', async () => {
    const { authoriser } = setUp();
    await authoriser.require(caller, 'orders', 'browse');
    await authoriser.require(caller, 'orders', 'read');
    await authoriser.requireReadOn(caller, ['orders']);
    await authoriser.requireForm(caller, 'orders', 'refund');
  });

  it('denies rights of other roles, and collections and users that nobody named', async () => {
    const { authoriser } = setUp();
    await expect(authoriser.require(caller, 'orders', 'edit')).rejects.toMatchObject(denied);
    await expect(authoriser.require(caller, 'orders', 'delete')).rejects.toMatchObject(denied);
    await expect(authoriser.require(caller, 'customers', 'read')).rejects.toMatchObject(denied);
    await expect(authoriser.require(caller, 'constructor', 'read')).rejects.toMatchObject(denied);
    await expect(authoriser.require({ ...caller, id: 8 }, 'orders', 'read')).rejects.toMatchObject(denied);
    await expect(authoriser.requireReadOn(caller, ['orders', 'customers'])).rejects.toMatchObject({
      ...denied,
      message: expect.stringContaining('"customers"'),
    });
  });

  it('uses the role that the platform knows, not the one of the token', async () => {
    const { authoriser } = setUp({ users: async () => [{ ...user, roleId: 5 }] });
    await expect(authoriser.require(caller, 'orders', 'read')).rejects.toMatchObject(denied);
    await authoriser.require(caller, 'orders', 'edit');
  });

  it('allows everything in a development environment, without asking who the caller is', async () => {
    const { authoriser, calls } = setUp({ environmentPermissions: async () => true });
    await authoriser.require({ ...caller, id: 99 }, 'anything', 'delete');
    await authoriser.requireForm(caller, 'anything', 'any action');
    expect(await authoriser.scopeOf(caller, 'anything', 'browse')).toBeUndefined();
    expect(calls).toEqual({ environment: 1, users: 0, rendering: 0 });
  });

  it('denies forms of actions that are not allowed or not named', async () => {
    const { authoriser } = setUp();
    const formOf = (name: string) => authoriser.requireForm(caller, 'orders', name);
    await expect(formOf('pay')).rejects.toMatchObject(denied);
    await expect(formOf('nope')).rejects.toMatchObject(denied);
    await expect(formOf('constructor')).rejects.toMatchObject(denied);
  });
});

describe('scopes', () => {
  it('is absent where the scope is null', async () => {
    expect(await setUp().authoriser.scopeOf(caller, 'orders', 'browse')).toBeUndefined();
  });

  it('reads conditions and keeps the type of what it fills in', async () => {
    const scope = {
      aggregator: 'and',
      conditions: [
        { field: 'owner_id', operator: 'equal', value: '{{currentUser.id}}' },
        { field: 'country', operator: 'in', value: ['{{currentUser.tags.country}}', 'DE'] },
        { field: 'note', operator: 'i_contains', value: 'for {{ currentUser.fullName }} of {{currentUser.team.name}}' },
        { field: 'deleted_at', operator: 'missing', value: null },
      ],
    };
    const { authoriser } = setUp({ renderingPermissions: async () => renderingWith(scope) });
    expect(await authoriser.scopeOf(caller, 'orders', 'browse')).toEqual({
      aggregator: 'And',
      conditions: [
        { field: 'owner_id', operator: 'Equal', value: 7 },
        { field: 'country', operator: 'In', value: ['FR', 'DE'] },
        { field: 'note', operator: 'IContains', value: 'for Ada Lovelace of Operations' },
        { field: 'deleted_at', operator: 'Missing', value: null },
      ],
    });
  });

  it('fills in tags of any name', async () => {
    const scope = { field: 'region', operator: 'not_equal', value: '{{currentUser.tags.closed région}}' };
    const tagged = { ...user, tags: { 'closed région': 'North' } };
    const { authoriser } = setUp({
      users: async () => [tagged],
      renderingPermissions: async () => renderingWith(scope),
    });
    const filled = await authoriser.scopeOf(caller, 'orders', 'browse');
    expect(filled).toEqual({ field: 'region', operator: 'NotEqual', value: 'North' });
  });

  it.each([
    [
      'refers to something the user does not have',
      { field: 'a', operator: 'equal', value: '{{currentUser.tags.nope}}' },
    ],
    [
      'excludes what a tag of several words names, which the user does not have',
      { field: 'a', operator: 'not_equal', value: '{{currentUser.tags.not here}}' },
    ],
    ['refers to a property every object has', { field: 'a', operator: 'equal', value: '{{currentUser.constructor}}' }],
    ['has an operator that does not exist', { field: 'a', operator: 'nope', value: 1 }],
    ['has an aggregator that does not exist', { aggregator: 'xor', conditions: [] }],
    ['is not a condition', 'true'],
  ])('denies where the scope %s', async (_case, scope) => {
    const { authoriser } = setUp({ renderingPermissions: async () => renderingWith(scope) });
    await expect(authoriser.scopeOf(caller, 'orders', 'browse')).rejects.toMatchObject(denied);
  });

  it('names the tag that a scope needs and the user does not have (case 51)', async () => {
    const scope = { field: 'a', operator: 'equal', value: '{{currentUser.tags.shop}}' };
    const { authoriser } = setUp({ renderingPermissions: async () => renderingWith(scope) });
    await expect(authoriser.scopeOf(caller, 'orders', 'browse')).rejects.toThrow(
      'The scope of "orders" refers to currentUser.tags.shop, which you do not have.',
    );
  });

  it('denies a collection the rendering does not name', async () => {
    await expect(setUp().authoriser.scopeOf(caller, 'customers', 'browse')).rejects.toMatchObject(denied);
  });
});

describe('fetching permissions', () => {
  it('shares one fetch between callers and keeps its answer for 15 minutes', async () => {
    const { authoriser, calls, advance } = setUp();
    await Promise.all([1, 2, 3].map(() => authoriser.require(caller, 'orders', 'read')));
    advance(15 * 60_000);
    await authoriser.require(caller, 'orders', 'read');
    expect(calls).toMatchObject({ environment: 1, users: 1 });
    advance(1);
    await authoriser.require(caller, 'orders', 'read');
    expect(calls).toMatchObject({ environment: 2, users: 2 });
  });

  it('looks again before it denies, but not more often than every few seconds', async () => {
    let isGranted = false;
    const { authoriser, calls, advance } = setUp({
      environmentPermissions: async () => (isGranted ? true : permissions),
    });
    await expect(authoriser.require(caller, 'orders', 'edit')).rejects.toMatchObject(denied);
    await expect(authoriser.require(caller, 'orders', 'edit')).rejects.toMatchObject(denied);
    expect(calls.environment).toBe(1);
    isGranted = true;
    advance(5_001);
    await authoriser.require(caller, 'orders', 'edit');
    expect(calls.environment).toBe(2);
  });

  it('never keeps a failure', async () => {
    let isUp = false;
    const { authoriser } = setUp({
      environmentPermissions: async () => {
        if (!isUp) throw new Error('down');
        return permissions;
      },
    });
    await expect(authoriser.require(caller, 'orders', 'read')).rejects.toThrow('down');
    isUp = true;
    await authoriser.require(caller, 'orders', 'read');
  });
});
