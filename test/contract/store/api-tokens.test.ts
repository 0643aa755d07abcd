import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '#node/system/system-clock';
import { addApiToken, mostActiveTokens, revokeApiToken, rotateApiToken } from '#platform/api-tokens/api-token-changes';
import { createApiTokenRepository } from '#platform/api-tokens/api-token-repository';
import { authorOf } from '#platform/audit/admin-log';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createPeopleRepository } from '#platform/people/people-repository';
import { createRateLimitService } from '#platform/public-api/rate-limit-service';
import { runOnce } from '#platform/server/idempotency';
import type { Store } from '#platform/store/store';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };

async function openProject(store: Store) {
  const identity = createIdentityRepository(store);
  const { environment, member } = await provisionIn(store, {
    project: 'shop',
    secretHash: 'secret',
    user: ada,
  });
  return { identity, projectId: environment.projectId, adaId: member.id };
}

async function openTokens(store: Store) {
  const { identity, projectId, adaId } = await openProject(store);
  const time = createManualTime();
  const { now } = time.clock;
  const repository = createApiTokenRepository(store, time.clock);
  const plain = { projectId, name: 'siem', scopes: ['all'], allowedCidrs: [], createdBy: adaId } as const;
  const add = (secretHash: string, lifetimeMs: number | null = 30 * dayMs) =>
    store.transaction((transaction) =>
      addApiToken(transaction, now(), { ...plain, lifetimeMs }, { secretHash, hint: secretHash.slice(-4) }),
    );
  const rotate = (id: number, secretHash: string, overlapMs: number) =>
    store.transaction((transaction) =>
      rotateApiToken(transaction, now(), { projectId, id, overlapMs }, { secretHash, hint: secretHash.slice(-4) }),
    );
  const revoke = (id: number, project = projectId) =>
    store.transaction((transaction) => revokeApiToken(transaction, now(), { projectId: project, id }));
  return { identity, projectId, adaId, time, repository, add, rotate, revoke };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('API tokens are found by their secrets, with the right that their creator has now', async () => {
    const store = await open();
    const { projectId, adaId, repository, add } = await openTokens(store);
    const token = await add('hash-1');
    expect(token).toMatchObject({ name: 'siem', hint: 'sh-1', scopes: ['all'], creator: { id: adaId, ...ada } });
    expect(await repository.findBySecret('hash-2')).toBeUndefined();
    expect(await repository.findBySecret('hash-1')).toEqual({
      token,
      secretHash: 'hash-1',
      endsAt: null,
      projectName: 'shop',
      creatorLevel: 'admin',
    });
    const people = createPeopleRepository(store, systemClock, adminLog);
    const eve = await provisionIn(store, {
      project: 'shop',
      secretHash: 'other',
      user: { ...ada, email: 'eve@example.test' },
    });
    await people.change(projectId, adaId, { permissionLevel: 'developer' }, authorOf(eve.member, undefined));
    expect((await repository.findBySecret('hash-1'))?.creatorLevel).toBe('developer');
    await people.change(
      projectId,
      adaId,
      { permissionLevel: 'admin', isActive: false },
      authorOf(eve.member, undefined),
    );
    expect((await repository.findBySecret('hash-1'))?.creatorLevel).toBeUndefined();
  });

  it('a project has 50 active API tokens at most, also when several are made at once', async () => {
    const store = await open();
    const { time, repository, projectId, add, revoke } = await openTokens(store);
    const made = await Promise.allSettled(Array.from({ length: mostActiveTokens + 5 }, (_, at) => add(`hash-${at}`)));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(mostActiveTokens);
    await expect(add('more')).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    const [newest] = await repository.list(projectId);
    await revoke(newest?.id ?? 0);
    await add('instead', hourMs);
    time.pass(hourMs);
    await add('after the end of another');
    const listed = await repository.list(projectId);
    expect(listed).toHaveLength(mostActiveTokens + 2);
    expect(listed.slice(0, 2).map(({ hint }) => hint)).toEqual(['ther', expect.any(String)]);
    expect(listed.slice(-2).map(({ revokedAt }) => revokedAt === null)).toEqual([true, false]);
  });

  it('a rotation leaves the secret before valid for the overlap, but not longer than it was', async () => {
    const store = await open();
    const { time, repository, add, rotate, revoke } = await openTokens(store);
    const begin = time.clock.now();
    const { id } = await add('first', 10 * hourMs);
    time.pass(9 * hourMs);
    expect(await rotate(id, 'second', dayMs)).toMatchObject({ hint: 'cond', expiresAt: begin + 19 * hourMs });
    expect(await repository.findBySecret('first')).toMatchObject({ endsAt: begin + 10 * hourMs });
    await rotate(id, 'third', 0);
    expect(await repository.findBySecret('second')).toMatchObject({ endsAt: begin + 9 * hourMs });
    expect(await repository.findBySecret('third')).toMatchObject({ endsAt: null, token: { id } });
    await revoke(id);
    await expect(rotate(id, 'fourth', 0)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    const { id: short } = await add('short', hourMs);
    time.pass(hourMs);
    await expect(rotate(short, 'fifth', 0)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    const { id: endless } = await add('endless', null);
    expect(await rotate(endless, 'sixth', hourMs)).toMatchObject({ expiresAt: null });
    expect(await repository.findBySecret('endless')).toMatchObject({ endsAt: time.clock.now() + hourMs });
  });

  it('a token is revoked once, in its own project', async () => {
    const store = await open();
    const { time, projectId, add, revoke } = await openTokens(store);
    const { id } = await add('hash');
    await expect(revoke(id, projectId + 1)).rejects.toMatchObject({ code: 'REQUEST_NOT_FOUND' });
    expect(await revoke(id)).toMatchObject({ revokedAt: time.clock.now() });
    expect(await revoke(id)).toBeUndefined();
  });

  it('the last use of a token is the latest, in whatever order uses are written', async () => {
    const store = await open();
    const { projectId, repository, add } = await openTokens(store);
    const { id: tokenId } = await add('hash');
    await repository.saveUses([{ tokenId, at: 20, address: '10.0.0.2' }]);
    await repository.saveUses([{ tokenId, at: 10, address: '10.0.0.1' }]);
    expect(await repository.list(projectId)).toMatchObject([{ lastUsedAt: 20, lastUsedAddress: '10.0.0.2' }]);
  });

  it('tokens that expire soon are given out once a day, to one process', async () => {
    const store = await open();
    const { time, repository, add, revoke } = await openTokens(store);
    await add('late', 30 * dayMs);
    await add('never', null);
    await revoke((await add('revoked', dayMs)).id);
    const { id, expiresAt } = await add('soon', 3 * dayMs);
    const take = () => repository.takeExpiring(time.clock.now() + 14 * dayMs);
    const expected = [{ id, name: 'siem', project: 'shop', expiresAt }];
    expect((await Promise.all([take(), take(), take()])).flat()).toEqual(expected);
    time.pass(dayMs - 1);
    expect(await take()).toEqual([]);
    time.pass(1);
    expect(await take()).toEqual(expected);
    time.pass(2 * dayMs);
    expect(await take()).toEqual([]);
  });

  it('quotas are exact for services that share a store, and kept when one starts again', async () => {
    const store = await open();
    const { clock } = createManualTime();
    const services = Array.from({ length: 3 }, () => createRateLimitService(store, clock));
    const quotas = await Promise.all(
      Array.from({ length: 63 }, (_, at) => services[at % 3]?.take('token 1', 1) ?? Promise.reject()),
    );
    expect(quotas.filter(({ isTaken }) => isTaken)).toHaveLength(60);
    const fresh = createRateLimitService(store, clock);
    const refused = await fresh.take('token 1', 1);
    expect(refused.isTaken).toBe(false);
    expect(refused.states.map(({ remaining }) => remaining)).toEqual([0, 940, 9940]);
    expect((await fresh.look('token 1')).states.map(({ remaining }) => remaining)).toEqual([0, 940, 9940]);
    expect((await fresh.take('token 2', 60)).isTaken).toBe(true);
  });

  it('50 equal requests at once have one effect and one answer', async () => {
    const store = await open();
    const { repository, projectId, adaId } = await openTokens(store);
    const { clock, pass } = createManualTime();
    let made = 0;
    const second = Promise.withResolvers<void>();
    /** Gives a second request the time to get here, should nothing keep it away. */
    const beginWork = async () => {
      made++;
      if (made > 1) second.resolve();
      else await Promise.race([second.promise, wait(200)]);
    };
    const send = (body: object, key = 'key', route = 'POST tokens') =>
      runOnce(store, clock, { subject: 'person 1', route, key, body }, async (transaction) => {
        await beginWork();
        const token = { projectId, name: 'siem', scopes: ['all'], allowedCidrs: [], createdBy: adaId } as const;
        const { id } = await addApiToken(
          transaction,
          clock.now(),
          { ...token, lifetimeMs: null },
          { secretHash: `hash ${made}`, hint: 'hint' },
        );
        return { answer: { status: 201, headers: { location: `/${id}` }, body: { id } }, onlyOnce: { secret: made } };
      });
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({ a: 1, b: [2] })));
    expect(made).toBe(1);
    const [token, ...others] = await repository.list(projectId);
    expect(others).toEqual([]);
    const replay = { status: 201, headers: { location: `/${token?.id}` }, body: { id: token?.id }, isReplayed: true };
    expect(answers.filter(({ isReplayed }) => !isReplayed)).toMatchObject([{ body: { secret: expect.any(Number) } }]);
    expect(answers.filter(({ isReplayed }) => isReplayed)).toEqual(Array(49).fill(replay));
    expect(await send({ b: [2], a: 1 })).toEqual(replay);
    await expect(send({ a: 2 })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect((await send({ a: 2 }, 'other')).isReplayed).toBe(false);
    expect((await send({ a: 2 }, 'key', 'POST notes')).isReplayed).toBe(false);
    pass(dayMs);
    expect((await send({ a: 2 })).isReplayed).toBe(false);
    expect(await store.db.selectFrom('idempotencyKeys').select('route').execute()).toHaveLength(1);
  });

  it('a request that was refused leaves nothing under its key', async () => {
    const store = await open();
    const { clock } = createManualTime();
    const request = { subject: 'person 1', route: 'POST notes', key: 'key', body: {} };
    const refuse = () => Promise.reject(new TypeError('refused'));
    await expect(runOnce(store, clock, request, refuse)).rejects.toThrow('refused');
    const effect = async () => ({ answer: { status: 201, body: { done: true } } });
    expect(await runOnce(store, clock, { ...request, body: { a: 1 } }, effect)).toMatchObject({ isReplayed: false });
  });
});
