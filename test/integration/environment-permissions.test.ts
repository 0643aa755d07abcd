import path from 'node:path';
import { expect, it } from 'vitest';
import type { PermissionFile } from '#contracts/permission-file';
import type { SchemaDocument } from '#contracts/schema-document';
import { systemClock } from '#node/system/system-clock';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createPermissionService } from '#platform/permissions/permission-service';
import { createRightsRepository } from '#platform/rights/rights-repository';
import { createSchemaRepository } from '#platform/schemas/schemas';
import { provisionPerson } from '#sandbox/provisioning/provision-person';
import { adminLog, authorNumbered, provisionIn } from '../helpers/admin-log.ts';
import { openTestStore } from '../helpers/store-engines.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const schema = {
  collections: [{ name: 'orders', fields: [], actions: [{ name: 'Refund' }], segments: [] }],
  meta: {},
} as unknown as SchemaDocument;

/** An environment with an administrator, Ada, and a user, Bob, who have the same role in the project. */
async function setUp(type: 'development' | 'production') {
  const store = await openTestStore({
    dialect: 'sqlite',
    storage: path.join(await temporaryFolder(), 'platform.sqlite'),
  });
  const identity = createIdentityRepository(store);
  const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
  const { environment: made, rendering } = await provisionIn(store, {
    project: 'shop',
    secretHash: 'secret',
    user: ada,
  });
  const environment = { ...made, type };
  const bob = { firstName: 'Bob', lastName: '', email: 'bob@example.test' };
  await provisionPerson(
    { store, clock: systemClock, adminLog },
    { environment, person: bob, role: 'Administrators', team: 'Operations' },
  );
  const rights = createRightsRepository(store, systemClock, adminLog);
  const schemas = { ...createSchemaRepository(store, systemClock), findDocument: async () => schema };
  const permissions = createPermissionService({ identity, schemas, rights, store });
  const [admin, user] = await permissions.users(environment);
  if (!admin || !user) throw new TypeError('Somebody is missing.');
  /** The roles that may browse and trigger. */
  const holders = async () => {
    const document = await permissions.environment(environment);
    if (document === true) return 'everybody';
    const { orders } = document.collections;
    return [orders?.collection.browseEnabled, orders?.actions['Refund']?.triggerEnabled];
  };
  const set = (document: PermissionFile, base: number) =>
    rights.replace({ environment, document, base, author: authorNumbered(admin.id), allowLockout: true });
  return { permissions, environment, rendering, rights, admin, user, holders, set };
}

it('development without rights allows everything to everybody', async () => {
  const { holders, admin, user } = await setUp('development');
  expect(await holders()).toBe('everybody');
  expect(admin.roleId).toBe(user.roleId);
});

it('production without rights allows everything to administrators, and nothing to others of the same role', async () => {
  const { holders, admin, user } = await setUp('production');
  expect(await holders()).toEqual([{ roles: [admin.roleId] }, { roles: [admin.roleId] }]);
  expect([admin.permissionLevel, user.permissionLevel]).toEqual(['admin', 'user']);
  expect(user.roleId).not.toBe(admin.roleId);
});

it.each(['development', 'production'] as const)(
  '%s with rights allows what they say, to administrators too',
  async (type) => {
    const { holders, set, permissions, environment, rendering, rights } = await setUp(type);
    const document: PermissionFile = {
      roles: { support: { collections: { orders: { browse: true } } } },
      people: { 'bob@example.test': { role: 'support', tags: { region: 'north' } } },
      teams: { Sales: {} },
    };
    expect(await set(document, 0)).toBe(true);
    const support = (await rights.roleIds(environment.projectId)).get('support');
    expect(await holders()).toEqual([{ roles: [support] }, { roles: [] }]);
    expect(await permissions.users(environment)).toMatchObject([
      { email: 'ada@example.test', tags: {} },
      { email: 'bob@example.test', roleId: support, tags: { region: 'north' } },
    ]);
    expect((await permissions.rendering(environment, rendering)).collections).toEqual({});
    expect(await set(document, 0)).toBe(false);
  },
);
