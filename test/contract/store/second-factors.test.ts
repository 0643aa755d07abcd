import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#node/system/digest';
import { systemRandom } from '#node/system/system-random';
import { authorOf } from '#platform/audit/admin-log';
import { findChain } from '#platform/audit/audit-chains';
import { readLog } from '#platform/audit/read-log';
import { createFactorRepository } from '#platform/factors/factor-repository';
import { resetFactorsInStore } from '#platform/factors/reset-in-store';
import { createSignInSteps } from '#platform/factors/sign-in-steps';
import { createPeopleRepository } from '#platform/people/people-repository';
import { needsSecondFactor } from '#platform/rights/needs-second-factor';
import { createRightsRepository } from '#platform/rights/rights-repository';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { createTokenRepository } from '#platform/tokens/token-repository';
import { createTokenService } from '#platform/tokens/token-service';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };
const minuteMs = 60_000;
const app = { kind: 'totp', name: 'Phone', sealed: 'sealed', lastStep: 5 } as const;
const passkey = {
  kind: 'passkey',
  name: 'Laptop',
  host: 'platform.example.test',
  credentialId: 'credential',
  publicKey: 'key',
  counter: 0,
  transports: ['internal'],
} as const;

async function openFactors(store: Store) {
  const { environment, member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
  const time = createManualTime();
  const author = authorOf(member, undefined);
  const demand = (isNeeded: boolean, role = member.roleName) =>
    store.transaction(({ db }) =>
      db
        .updateTable('roles')
        .set({ needsSecondFactor: isNeeded ? 1 : 0 })
        .where('name', '=', role)
        .execute(),
    );
  const factors = createFactorRepository(store, time.clock, adminLog);
  return {
    environment,
    user: member,
    author,
    time,
    demand,
    factors,
    isNeeded: () => needsSecondFactor(store.db, member.id, time.clock.now()),
  };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('recovery codes are kept with the first factor, and end with the last one', async () => {
    const { factors, user, author } = await openFactors(await open());
    expect(await factors.add(user, app, ['a', 'b'], author)).toBe(true);
    expect(await factors.add(user, passkey, ['c'], author)).toBe(false);
    const listed = await factors.list(user.id);
    expect(listed).toMatchObject([
      { kind: 'totp', sealed: 'sealed' },
      { ...passkey, lastUsedAt: null },
    ]);
    expect(await factors.countCodes(user.id)).toBe(2);
    expect(await factors.useCode(user.id, 'c')).toBe(false);
    const used = await Promise.all([1, 2, 3].map(() => factors.useCode(user.id, 'a')));
    expect(used.filter(Boolean)).toHaveLength(1);
    await factors.replaceCodes(user, ['d'], author);
    expect(await factors.useCode(user.id, 'b')).toBe(false);
    for (const { id } of listed) expect(await factors.remove(user, id, author)).toBe(true);
    expect(await factors.countCodes(user.id)).toBe(0);
    expect(await factors.remove(user, listed[0]?.id ?? 0, author)).toBe(false);
  });

  it('a code of an app is spent with its step, also when several requests bring it at once', async () => {
    const { factors, user, author } = await openFactors(await open());
    await factors.add(user, app, [], author);
    const [{ id } = { id: 0 }] = await factors.list(user.id);
    expect(await factors.useStep(id, 5)).toBe(false);
    const used = await Promise.all([1, 2, 3].map(() => factors.useStep(id, 6)));
    expect(used.filter(Boolean)).toHaveLength(1);
    expect([await factors.useStep(id, 5), await factors.useStep(id, 7)]).toEqual([false, true]);
  });

  it('a passkey that counts is refused where its counter does not grow', async () => {
    const { factors, user, author } = await openFactors(await open());
    await factors.add(user, passkey, [], author);
    const [{ id } = { id: 0 }] = await factors.list(user.id);
    expect([await factors.useKey(id, 0), await factors.useKey(id, 0)]).toEqual([true, true]);
    expect([await factors.useKey(id, 4), await factors.useKey(id, 4), await factors.useKey(id, 3)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('the last factor stays while a role demands one, in the project or by the rights of an environment', async () => {
    const store = await open();
    const { factors, user, author, demand, isNeeded, environment, time } = await openFactors(store);
    await factors.add(user, app, [], author);
    const [{ id } = { id: 0 }] = await factors.list(user.id);
    expect(await isNeeded()).toBe(false);
    await demand(true);
    expect(await isNeeded()).toBe(true);
    await expect(factors.remove(user, id, author)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await demand(false);
    const rights = createRightsRepository(store, time.clock, adminLog);
    const browse = { collections: { orders: { browse: true } } };
    const document = { roles: { support: browse }, people: { [user.email]: { role: 'support' } } };
    const saved = await rights.replace({ environment, document, base: 0, author, allowLockout: true });
    expect(saved).toBe(true);
    expect(await isNeeded()).toBe(false);
    await demand(true, 'support');
    expect(await isNeeded()).toBe(true);
    await expect(factors.remove(user, id, author)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    // The role is gone from the rights and stays in the project, so that it demands the same when it comes back.
    const without = { roles: { Administrators: browse } };
    await rights.replace({ environment, document: without, base: 1, author, allowLockout: true });
    const roles = await createPeopleRepository(store, time.clock, adminLog).listRoles(environment.projectId);
    expect(roles).toContainEqual(expect.objectContaining({ name: 'support', needsSecondFactor: true }));
  });

  it('a reset removes all factors and ends everything that the person is signed in with', async () => {
    const store = await open();
    const { factors, user, author, environment, time } = await openFactors(store);
    const repository = createTokenRepository(store, time.clock, adminLog);
    const tokens = createTokenService(repository, time.clock, systemRandom, async () => false);
    const owner = { userId: user.id, environmentId: environment.id, hasSecondFactor: true };
    const token = await tokens.issue(owner, 'test', minuteMs);
    await factors.add(user, app, ['a'], author);
    await factors.add(user, passkey, [], author);
    expect(await factors.reset(user, author)).toBe(2);
    expect([await factors.list(user.id), await factors.countCodes(user.id)]).toEqual([[], 0]);
    await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'REQUEST_UNAUTHENTICATED' });
  });

  it('the time to set a factor up begins with a demand and with a reset, and ends with the first factor', async () => {
    const store = await open();
    const { factors, user, author, time, demand, environment } = await openFactors(store);
    const { projectId } = environment;
    const people = createPeopleRepository(store, time.clock, adminLog);
    const hours = async () => {
      const until = await factors.setupUntil(user.id);
      return until === undefined ? undefined : (until - time.clock.now()) / (60 * minuteMs);
    };
    const support = await store.transaction(({ db }) =>
      db.insertInto('roles').values({ projectId, name: 'support' }).returning('id').executeTakeFirstOrThrow(),
    );
    await demand(true, 'support');
    time.pass(8 * 24 * 60 * minuteMs);
    await people.change(projectId, user.id, { roles: [{ ...support, name: 'support' }] }, author);
    expect(await hours()).toBe(7 * 24);
    time.pass(60 * minuteMs);
    // Another change of somebody who needs one already gives no more time.
    await people.change(projectId, user.id, { teams: ['Operations'] }, author);
    expect(await hours()).toBe(7 * 24 - 1);
    await factors.add(user, app, [], author);
    expect(await hours()).toBeUndefined();
    await factors.reset(user, author);
    expect(await hours()).toBe(24);
  });

  it('whoever has the store resets the factors of the last administrator in it', async () => {
    const place = await newPlace();
    const store = await openStore(place);
    const { factors, user, author, environment, time } = await openFactors(store);
    await factors.add(user, app, ['a'], author);
    const repository = createTokenRepository(store, time.clock, adminLog);
    const tokens = createTokenService(repository, time.clock, systemRandom, async () => false);
    const owner = { userId: user.id, environmentId: environment.id, hasSecondFactor: true };
    const token = await tokens.issue(owner, 'test', minuteMs);
    await store.close();
    const reset = (email: string, answer: boolean) =>
      resetFactorsInStore(place, { email, clock: time.clock, random: systemRandom, confirm: async () => answer });
    await expect(reset('eve@example.test', true)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    expect([await reset('ADA@example.test', false), await reset('ADA@example.test', true)]).toEqual([undefined, 1]);
    const after = await openTestStore(place);
    expect(await createFactorRepository(after, time.clock, adminLog).list(user.id)).toEqual([]);
    expect(await createTokenRepository(after, time.clock, adminLog).findByHash(sha256Hex(token))).toMatchObject({
      revokedAt: expect.any(Number),
    });
    const chain = await findChain(after.db, { kind: 'admin', projectId: environment.projectId });
    const { rows } = await readLog(after.db, chain ?? expect.fail('no log'), {}, { limit: 100, order: 'asc' });
    const removed = rows.filter(({ entry }) => 'resource' in entry && entry.resource === 'second-factor');
    expect(removed.at(-1)?.entry).toMatchObject({ type: 'remove', initiator: 'platform' });
  });

  it('a token made without a second factor opens nothing once one is needed, and neither does what was printed from it', async () => {
    const store = await open();
    const { user, demand, isNeeded, environment, time } = await openFactors(store);
    const repository = createTokenRepository(store, time.clock, adminLog);
    const tokens = createTokenService(repository, time.clock, systemRandom, isNeeded);
    const owner = { userId: user.id, environmentId: environment.id };
    const plain = await tokens.issue({ ...owner, hasSecondFactor: false }, 'plain', minuteMs);
    const strong = await tokens.issue({ ...owner, hasSecondFactor: true }, 'strong', minuteMs);
    const wish = { audience: 'agent', environmentId: environment.id, lifetimeMs: 1000, isReadOnly: false } as const;
    const printed = await tokens.print(plain, { ...wish, address: '127.0.0.1' });
    const printedStrong = await tokens.print(strong, { ...wish, address: '127.0.0.1' });
    await demand(true);
    await expect(tokens.verify(plain)).rejects.toMatchObject({ code: 'SECOND_FACTOR_MISSING' });
    expect(await tokens.findPrinted(printed.token)).toBeUndefined();
    expect(await tokens.verify(strong)).toMatchObject({ hasSecondFactor: true });
    expect(await tokens.findPrinted(printedStrong.token)).toMatchObject({ userId: user.id });
  });

  it('steps of a sign-in are found for ten minutes, and are taken once', async () => {
    const store = await open();
    const { user, time } = await openFactors(store);
    const steps = createSignInSteps(store, time.clock);
    await steps.put('PasskeyChallenge', 'sign-in a', user.id, { challenge: 'one' });
    await steps.put('PasskeyChallenge', 'sign-in a', user.id, { challenge: 'two' });
    expect(await steps.find('PasskeyChallenge', 'sign-in b')).toBeUndefined();
    expect(await steps.find('TotpSecret', 'sign-in a')).toBeUndefined();
    const taken = await Promise.all([1, 2].map(() => steps.take('PasskeyChallenge', 'sign-in a')));
    expect(taken.filter(Boolean)).toEqual([{ challenge: 'two' }]);
    await steps.put('FirstFactor', 'sign-in a', user.id, { accountId: '1', isVouched: false });
    time.pass(10 * minuteMs);
    expect(await steps.find('FirstFactor', 'sign-in a')).toBeUndefined();
  });
});
