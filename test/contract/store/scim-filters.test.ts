import { describe, expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { systemClock } from '#node/system/system-clock';
import type { WantedPage } from '#platform/scim/filter-query';
import { parseFilter } from '#platform/scim/scim-filter';
import { createScimGroups } from '#platform/scim/scim-groups';
import { createScimUsers } from '#platform/scim/scim-users';
import type { Store } from '#platform/store/store';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const user = (userName: string, more: object = {}) => ({
  ...{ userName, email: `${userName}@example.test`, externalId: null, givenName: userName, familyName: '' },
  isActive: true,
  ...more,
});

async function openPeople(store: Store) {
  let now = Date.parse('2026-01-01T00:00:00Z');
  const clock = { ...systemClock, now: () => now };
  const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.org' };
  const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
  const { projectId } = environment;
  await store.transaction(({ db }) => db.insertInto('roles').values({ projectId, name: 'support' }).execute());
  const parts = { store, clock, adminLog, logger: silentLogger };
  const [users, groups] = [createScimUsers(parts), createScimGroups(parts)];
  const author = { initiator: 'identityProvider' } as const;
  const place = { projectId, role: 'support', team: 'Operations', createdBy: member.id, author };
  const bob = await users.create(place, user('Bob', { externalId: 'B_1', familyName: "O'Malley" }));
  now += 24 * 60 * 60 * 1000;
  await users.create(place, user('eve', { externalId: '100%', isActive: false }));
  await groups.create(place, { name: 'Sales', externalId: null, memberIds: [bob.id] });
  await groups.create(place, { name: 'Audit', externalId: 'g', memberIds: [] });
  const page: WantedPage = { filter: undefined, sort: undefined, startIndex: 1, count: 10, isOfSeveralKinds: false };
  return {
    bobId: bob.id,
    find: async (filter: string) => {
      const { total, found } = await users.list(projectId, { ...page, filter: parseFilter(filter) });
      expect(found).toHaveLength(total);
      return found.map(({ userName }) => userName.split('@')[0]).join(' ');
    },
    findGroups: async (filter: string) => {
      const { found } = await groups.list(projectId, { ...page, filter: parseFilter(filter) }, true);
      return found.map(({ name }) => name).join(' ');
    },
    sorted: async (by: string, isDescending = false) => {
      const { found } = await users.list(projectId, { ...page, sort: { by, isDescending } });
      return found.map(({ userName }) => userName.split('@')[0]).join(' ');
    },
  };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const newPeople = async () => openPeople(await openTestStore(await newPlace()));

  it('filters find users by every operator and by the case rule of each attribute (RFC 7644, 3.4.2.2)', async () => {
    const { find, bobId } = await newPeople();
    const everybody = 'ada Bob eve';
    for (const [filter, found] of [
      ['userName eq "BOB"', 'Bob'],
      ['userName ne "bob"', 'ada eve'],
      ['userName co "V"', 'eve'],
      ['userName sw "E"', 'eve'],
      ['userName ew ".ORG"', 'ada'],
      ['userName ew "a longer text than all of the names"', ''],
      ['userName co ""', everybody],
      ['userName gt "ada@example.org" and userName lt "eve"', 'Bob'],
      ['userName ge "bob" and userName le "EVE"', 'Bob eve'],
      ['externalId pr', 'Bob eve'],
      ['externalId eq "b_1"', ''],
      ['externalId co "_"', 'Bob'],
      ['externalId ew "%"', 'eve'],
      ['externalId sw "b"', ''],
      ['externalId ne "B_1"', 'ada eve'],
      ['externalId eq null', 'ada'],
      ['not (externalId eq "B_1")', 'ada eve'],
      ['not (externalId pr) or active eq false', 'ada eve'],
      ['active ne true', 'eve'],
      ['active eq "False"', 'eve'],
      ['active pr', everybody],
      [`id eq "${bobId}"`, 'Bob'],
      [`id eq ${bobId}`, 'Bob'],
      ['name.familyName co "O\'Malley"', 'Bob'],
      ['name.familyName pr', 'ada Bob'],
      ['displayName eq "ada lovelace"', 'ada'],
      ['name.formatted sw "Bob O"', 'Bob'],
      ['emails co "example.org"', 'ada'],
      ['emails[type eq "work" and value co "@EXAMPLE.test"]', 'Bob eve'],
      ['emails[type eq "home" or not (primary eq true)]', ''],
      ['emails[type eq "work"].value eq "bob@example.test"', 'Bob'],
      ['groups.display eq "sales"', 'Bob'],
      ['groups[value pr and display sw "S"]', 'Bob'],
      ['not (groups pr)', 'ada eve'],
      ['meta.created gt "2026-01-01T23:00:00+01:00" and userName ne "ada@example.org"', 'eve'],
      ['meta.lastModified lt "2026-01-01T00:00:01Z"', 'Bob'],
      ['schemas eq "urn:ietf:params:scim:schemas:core:2.0:User"', everybody],
      ['urn:ietf:params:scim:schemas:core:2.0:User:userName sw "b"', 'Bob'],
      // "and" binds more than "or".
      ['userName sw "a" or userName sw "b" and active eq false', 'ada'],
      ['(userName sw "a" or userName sw "e") AND active EQ false', 'eve'],
      ['userName eq "\\u0062ob"', 'Bob'],
      [`userName eq "' or 1=1 --"`, ''],
    ] as const) {
      expect([filter, await find(filter)]).toEqual([filter, found]);
    }
  });

  it('filters find groups by their names and members', async () => {
    const { findGroups, bobId } = await newPeople();
    for (const [filter, found] of [
      ['displayName sw "SA"', 'Sales'],
      ['displayName ne "sales"', 'Audit'],
      [`members eq "${bobId}"`, 'Sales'],
      [`members[value eq "${bobId}" and type eq "User"]`, 'Sales'],
      ['members.display co "bob@"', 'Sales'],
      ['not (members pr) and externalId eq "g"', 'Audit'],
      ['meta.created gt "2026-01-01T12:00:00Z"', 'Sales Audit'],
    ] as const) {
      expect([filter, await findGroups(filter)]).toEqual([filter, found]);
    }
  });

  it('lists are sorted, and users without a value come last (RFC 7644, 3.4.2.3)', async () => {
    const { sorted } = await newPeople();
    expect(await sorted('userName')).toBe('ada Bob eve');
    expect(await sorted('USERNAME', true)).toBe('eve Bob ada');
    expect(await sorted('externalId')).toBe('eve Bob ada');
    expect(await sorted('externalId', true)).toBe('ada Bob eve');
    expect(await sorted('active')).toBe('eve ada Bob');
    expect(await sorted('meta.lastModified', true)).toMatch(/eve Bob$/);
  });

  it('filters are refused that name what is not kept, or compare what cannot be compared', async () => {
    const { find, sorted } = await newPeople();
    for (const filter of [
      'title eq "x"',
      'emails.nothing eq "x"',
      // Every object of JavaScript has one.
      'constructor pr',
      'emails.constructor pr',
      'constructor[value pr]',
      'name[givenName eq "x"]',
      'active gt true',
      'active eq "perhaps"',
      'userName eq true',
      'userName gt null',
      'meta.created co "2026"',
      'meta.created gt "yesterday"',
    ]) {
      await expect(find(filter), filter).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
        safeDetails: { scimType: 'invalidFilter' },
      });
    }
    for (const by of ['constructor', 'constructor.value', 'emails']) {
      await expect(sorted(by), by).rejects.toMatchObject({ safeDetails: { scimType: 'invalidValue' } });
    }
  });
});
