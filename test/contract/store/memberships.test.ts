import { describe, expect, it } from 'vitest';
import { authorOf, changeLog, thePlatform } from '#platform/audit/admin-log';
import { createEventLog } from '#platform/events/event-hub';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createInvitationRepository } from '#platform/invitations/invitation-repository';
import { replaceMemberships, type WantedMembership } from '#platform/people/change-memberships';
import { createPeopleRepository } from '#platform/people/people-repository';
import { placeIn } from '#platform/rights/person-claims';
import { createRightsRepository } from '#platform/rights/rights-repository';
import type { Store } from '#platform/store/store';
import { createTeamRepository } from '#platform/teams/team-repository';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
const mayBrowse = { collections: { '*': { browse: true } } };

async function openProject(store: Store) {
  const time = createManualTime();
  const identity = createIdentityRepository(store);
  const rights = createRightsRepository(store, time.clock, adminLog);
  const people = createPeopleRepository(store, time.clock, adminLog);
  const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
  const author = authorNumbered(member.id);
  const document = {
    roles: { Administrators: mayBrowse, Support: mayBrowse, Billing: mayBrowse },
    teams: { Operations: {}, North: {}, South: {} },
  };
  await rights.replace({ environment, document, base: 0, author });
  const { projectId } = environment;
  const roleIds = await rights.roleIds(projectId);
  const rolesNamed = (...names: readonly string[]) => names.map((name) => ({ id: roleIds.get(name) ?? 0, name }));
  const replace = (source: 'given' | 'group', wanted: readonly WantedMembership[]) =>
    store.transaction((transaction) =>
      replaceMemberships(
        transaction,
        { projectId, user: member },
        source,
        wanted,
        changeLog(adminLog, transaction, projectId, thePlatform),
      ),
    );
  const placeOfAda = async () => {
    const now = await identity.findMember(projectId, member.id);
    const { roles, teams } = await placeIn(environment, now ?? member, rights);
    return { roles: roles.map(({ name }) => name), teams: teams.map(({ name }) => name) };
  };
  return {
    identity,
    rights,
    people,
    environment,
    projectId,
    adaId: member.id,
    author,
    rolesNamed,
    replace,
    placeOfAda,
    time,
  };
}

describe.each(useStoreEngines())('memberships on $engine', ({ newPlace }) => {
  const open = async () => {
    const store = await openTestStore(await newPlace());
    return { store, ...(await openProject(store)) };
  };

  it('come beside the first role and team, and a change of people replaces what an administrator gave', async () => {
    const { people, projectId, adaId, author, rolesNamed, placeOfAda } = await open();
    const roles = rolesNamed('Administrators', 'Support', 'Billing');
    await people.change(projectId, adaId, { roles, teams: ['North', 'South'] }, author);
    expect(await placeOfAda()).toEqual({ roles: ['Administrators', 'Billing', 'Support'], teams: ['North', 'South'] });
    // What is not named stays.
    await people.change(projectId, adaId, { teams: ['South'] }, author);
    expect(await placeOfAda()).toEqual({ roles: ['Administrators', 'Billing', 'Support'], teams: ['South'] });
    await people.change(projectId, adaId, { roles: rolesNamed('Support') }, author);
    expect(await placeOfAda()).toEqual({ roles: ['Support'], teams: ['South'] });
    await expect(people.change(projectId, adaId, { teams: ['North', 'West'] }, author)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  it('go with their source, and leave those of another one', async () => {
    const { store, people, projectId, adaId, author, rolesNamed, replace, placeOfAda, environment, rights } =
      await open();
    await people.change(projectId, adaId, { roles: rolesNamed('Administrators', 'Support') }, author);
    const ofGroup = { kind: 'role', name: 'Billing', sourceName: 'accounting' } as const;
    const events = createEventLog(store);
    const before = await events.newest(environment.id);
    expect(await replace('group', [ofGroup, { ...ofGroup, kind: 'team', name: 'North' }])).toBe(true);
    expect(await events.since(environment.id, before)).toMatchObject([{ event: { name: 'refresh-users' } }]);
    expect(await replace('group', [{ ...ofGroup, kind: 'team', name: 'North' }, ofGroup])).toBe(false);
    expect(await events.newest(environment.id)).toBe(before + 1);
    expect(await placeOfAda()).toEqual({
      roles: ['Administrators', 'Support', 'Billing'],
      teams: ['Operations', 'North'],
    });
    expect((await people.find(projectId, adaId))?.further).toMatchObject([
      { name: 'Billing', source: 'group', sourceName: 'accounting' },
      { name: 'North', source: 'group', sourceName: 'accounting' },
      { name: 'Support', source: 'given', sourceName: null },
    ]);
    await replace('group', []);
    expect(await placeOfAda()).toEqual({ roles: ['Administrators', 'Support'], teams: ['Operations'] });
    // The rights of an environment name roles in place of both.
    const known = await rights.find(environment.id);
    const document = {
      ...known?.document,
      roles: known?.document?.roles ?? {},
      people: { [ada.email]: { roles: ['Billing', 'Administrators'] } },
    };
    await rights.replace({ environment, document, base: 1, author });
    expect((await placeOfAda()).roles).toEqual(['Billing', 'Administrators']);
  });

  it('count in the lists of roles and teams, and keep both from being removed', async () => {
    const { store, people, rights, environment, projectId, adaId, author, rolesNamed } = await open();
    await people.change(
      projectId,
      adaId,
      { roles: rolesNamed('Administrators', 'Support'), teams: ['Operations', 'North'] },
      author,
    );
    const teams = createTeamRepository(store, adminLog);
    expect(await teams.list(projectId)).toMatchObject([
      { name: 'North', people: 1 },
      { name: 'Operations', people: 1 },
      { name: 'South', people: 0 },
    ]);
    await rights.replace({ environment, document: { roles: { Administrators: mayBrowse } }, base: 1, author });
    expect((await people.listRoles(projectId)).map(({ name, people: count }) => [name, count])).toEqual([
      ['Administrators', 1],
      ['Support', 1],
    ]);
    expect((await teams.list(projectId)).map(({ name }) => name)).toEqual(['North', 'Operations']);
    await people.change(projectId, adaId, { teams: ['Operations'] }, author);
    expect((await teams.list(projectId)).map(({ name }) => name)).toEqual(['Operations']);
  });

  it('save an administrator from a lockout, unless they end', async () => {
    const { store, people, projectId, adaId, author, rolesNamed, environment, rights, time } = await open();
    const onlySupport = { roles: { Support: mayBrowse }, teams: { South: {} } };
    await expect(rights.replace({ environment, document: onlySupport, base: 1, author })).rejects.toMatchObject({
      code: 'ADMINISTRATORS_LOCKED_OUT',
    });
    const endsAt = time.clock.now() + 60_000;
    await store.transaction(({ db }) =>
      db
        .insertInto('memberships')
        .values({
          ...{ projectId, userId: adaId, kind: 'role', name: 'Support', source: 'elevation', sourceName: '1' },
          ...{ environmentId: environment.id, endsAt },
        })
        .execute(),
    );
    await people.change(projectId, adaId, { teams: ['Operations', 'South'] }, author);
    await expect(rights.replace({ environment, document: onlySupport, base: 1, author })).rejects.toMatchObject({
      code: 'ADMINISTRATORS_LOCKED_OUT',
    });
    await people.change(projectId, adaId, { roles: rolesNamed('Administrators', 'Support') }, author);
    expect(await rights.leftOut(projectId, onlySupport)).toEqual({ roles: [], teams: [], isLockout: false });
    await rights.replace({ environment, document: onlySupport, base: 1, author });
    await expect(
      people.change(projectId, adaId, { roles: rolesNamed('Administrators') }, author),
    ).rejects.toMatchObject({ code: 'ADMINISTRATORS_LOCKED_OUT' });
  });

  it('come with an invitation of several', async () => {
    const { store, people, projectId, author, rolesNamed, time } = await open();
    const invitations = createInvitationRepository(store, time.clock, adminLog);
    const [first] = rolesNamed('Support');
    const invitation = await invitations.add({
      ...{ projectId, email: 'bob@example.test', permissionLevel: 'user', roleId: first?.id ?? 0, team: 'North' },
      further: [
        { kind: 'role', name: 'Billing' },
        { kind: 'team', name: 'South' },
      ],
      ...{ secretHash: 'b', author, expiresAt: time.clock.now() + 60_000 },
    });
    const bob = { firstName: 'Bob', lastName: 'Builder', passwordHash: 'hash' };
    const id = await invitations.accept(invitation, bob, (joined) => authorOf(joined, undefined));
    expect(await people.find(projectId, id)).toMatchObject({
      ...{ roleName: 'Support', team: 'North' },
      further: [
        { kind: 'role', name: 'Billing', source: 'given' },
        { kind: 'team', name: 'South', source: 'given' },
      ],
    });
  });
});
