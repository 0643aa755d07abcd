import { describe, expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import { authorOf } from '#platform/audit/admin-log';
import { createGroupRepository } from '#platform/groups/group-repository';
import { createPeopleRepository } from '#platform/people/people-repository';
import { parseFilter } from '#platform/scim/scim-filter';
import { createScimGroups } from '#platform/scim/scim-groups';
import { createScimUsers } from '#platform/scim/scim-users';
import type { Store } from '#platform/store/store';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
const parts = { clock: systemClock, adminLog, logger: silentLogger };
const nobodyMinds = () => undefined;
const nothing = { roles: [], teams: [], makesAdministrator: false };

async function openGroups(store: Store) {
  const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
  const { projectId } = environment;
  const author = authorOf(member, undefined);
  await store.transaction(({ db }) =>
    db
      .insertInto('roles')
      .values(['support', 'sales', 'audit'].map((name) => ({ projectId, name })))
      .execute(),
  );
  const groups = createGroupRepository(store, parts);
  const people = createPeopleRepository(store, systemClock, adminLog);
  const bob = await provisionIn(store, {
    project: 'shop',
    secretHash: 'secret',
    user: { ...ada, email: 'bob@example.test' },
  });
  await people.change(projectId, bob.member.id, { permissionLevel: 'user' }, author);
  const map = (group: string, given: Partial<typeof nothing> | { roles: string[] }) =>
    groups.map(projectId, group, { ...nothing, ...given }, author);
  const rolesOf = async (userId: number) => {
    const rows = await store.db
      .selectFrom('memberships')
      .select(['name', 'sourceName'])
      .where((the) => the.and({ userId, kind: 'role', source: 'group' }))
      .orderBy('id')
      .execute();
    return rows.map(({ name, sourceName }) => `${name} by ${sourceName}`);
  };
  return { store, projectId, author, groups, people, adaId: member.id, bobId: bob.member.id, map, rolesOf };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const open = async () => openGroups(await openTestStore(await newPlace()));

  it('groups give what they are mapped to, united in the order of the mapping, and take it away again', async () => {
    const { groups, bobId, map, rolesOf, projectId, author, people } = await open();
    await map('first', { roles: ['support', 'audit'] });
    await map('second', { roles: ['sales', 'support'] });
    await groups.signedIn(bobId, ['second', 'unmapped', 'first'], undefined);
    expect((await rolesOf(bobId)).sort()).toEqual(['audit by first', 'sales by second', 'support by first']);
    expect(await people.find(projectId, bobId)).toMatchObject({ roleName: 'Administrators', permissionLevel: 'user' });
    await groups.signedIn(bobId, ['second'], undefined);
    expect((await rolesOf(bobId)).sort()).toEqual(['sales by second', 'support by second']);
    await groups.unmap(projectId, 'second', author);
    expect(await rolesOf(bobId)).toEqual([]);
    await groups.signedIn(bobId, [], undefined);
    await map('second', { roles: ['sales'] });
    expect(await rolesOf(bobId)).toEqual([]);
  });

  it('a group lends the level of an administrator where that was mapped, and the last one stays', async () => {
    const { groups, adaId, bobId, map, projectId, author, people } = await open();
    await map('owners', { makesAdministrator: true });
    const levelOf = async (id: number) => (await people.find(projectId, id))?.permissionLevel;
    await groups.signedIn(bobId, ['owners'], undefined);
    expect(await levelOf(bobId)).toBe('admin');
    await groups.signedIn(bobId, [], undefined);
    expect(await levelOf(bobId)).toBe('user');
    await groups.signedIn(bobId, ['owners'], undefined);
    // Whoever is deactivated meanwhile comes back without what the group no longer gives.
    await people.change(projectId, bobId, { isActive: false }, author);
    await groups.unmap(projectId, 'owners', author);
    await people.change(projectId, bobId, { isActive: true }, author);
    expect(await levelOf(bobId)).toBe('user');
    await map('owners', { makesAdministrator: true });
    expect(await levelOf(bobId)).toBe('admin');
    await people.change(projectId, adaId, { permissionLevel: 'user' }, author);
    await groups.signedIn(bobId, [], undefined);
    expect(await levelOf(bobId)).toBe('admin');
    expect(await groups.list(projectId)).toMatchObject({ keptAdministrators: ['bob@example.test'] });
    await expect(groups.unmap(projectId, 'owners', author)).rejects.toMatchObject({ code: 'LAST_ADMINISTRATOR_STAYS' });
    await people.change(projectId, adaId, { permissionLevel: 'admin' }, author);
    await groups.unmap(projectId, 'owners', author);
    expect(await levelOf(bobId)).toBe('user');
  });

  it('users and groups of SCIM are those of a project, also when many are changed at once', async () => {
    const { store, projectId, adaId, rolesOf, map, people } = await open();
    const scim = { ...parts, store };
    const [users, groups] = [createScimUsers(scim), createScimGroups(scim)];
    const author = { initiator: 'identityProvider' } as const;
    const place = { projectId, role: 'support', team: 'Operations', createdBy: adaId, author };
    const wanted = (name: string) => ({
      ...{ userName: name, email: `${name}@example.test`, externalId: null, givenName: name, familyName: '' },
      isActive: true,
    });
    const made = await Promise.allSettled(['eve', 'sam', 'eve'].map((name) => users.create(place, wanted(name))));
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    const page = { startIndex: 1, count: 10, filter: undefined, sort: undefined, isOfSeveralKinds: false };
    const { total, found } = await users.list(projectId, page);
    expect([total, found.map(({ userName }) => userName).sort()]).toEqual([
      4,
      ['ada@example.test', 'bob@example.test', 'eve', 'sam'],
    ]);
    expect((await users.list(projectId, { ...page, filter: parseFilter('userName eq "EVE"') })).total).toBe(1);
    expect((await users.list(projectId + 1, page)).total).toBe(0);
    await map('Sales', { roles: ['sales'] });
    const ids = found.map(({ id }) => id);
    const group = await groups.create(place, { name: 'Sales', externalId: null, memberIds: [] });
    await Promise.all(
      ids.map((id) =>
        groups.replace(place, group.id, ({ name, externalId, members }) => ({
          name,
          externalId,
          memberIds: [...members.map((member) => member.id), id],
        })),
      ),
    );
    expect((await groups.find(projectId, group.id, true))?.members).toHaveLength(4);
    for (const id of ids) expect(await rolesOf(id)).toEqual(['sales by Sales']);
    // Eve has no role by hand: the group that was mapped first gives the first one, whoever joined it first.
    await map('Audit', { roles: ['audit', 'sales'] });
    const [eve] = found.filter(({ userName }) => userName === 'eve');
    const eveId = eve?.id ?? 0;
    const second = await groups.create(place, { name: 'Audit', externalId: null, memberIds: [eveId] });
    expect((await people.find(projectId, eveId))?.roleName).toBe('sales');
    expect((await rolesOf(eveId)).sort()).toEqual(['audit by Audit', 'sales by Sales']);
    await groups.replace(place, group.id, () => ({ name: 'Renamed', externalId: null, memberIds: ids }));
    expect((await people.find(projectId, eveId))?.roleName).toBe('audit');
    await groups.replace(place, group.id, () => ({ name: 'Sales', externalId: null, memberIds: ids }));
    await groups.remove(place, second.id, nobodyMinds);
    expect((await people.find(projectId, adaId))?.roleName).toBe('Administrators');
    await groups.remove(place, group.id, nobodyMinds);
    expect((await people.find(projectId, eveId))?.roleName).toBe('support');
    for (const id of ids) expect(await rolesOf(id)).toEqual([]);
  });
});
