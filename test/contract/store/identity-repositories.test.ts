import { describe, expect, it } from 'vitest';
import { createSealedTexts } from '#node/system/secrets';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { authorOf, thePlatform } from '#platform/audit/admin-log';
import { createSignOnRepository } from '#platform/company-sign-on/sign-on-repository';
import { createEnvironmentRepository } from '#platform/environments/environment-repository';
import { createIdentityRepository, type UserRecord } from '#platform/identity/identity-repository';
import { createInvitationRepository } from '#platform/invitations/invitation-repository';
import { createPasswordRepository } from '#platform/passwords/password-repository';
import { createSignInTries } from '#platform/passwords/sign-in-tries';
import { createPeopleRepository } from '#platform/people/people-repository';
import { createSignInKeyring } from '#platform/provider/provider-keys';
import { createSignInStore } from '#platform/provider/provider-store';
import { createSessionRepository, saveSessionUses } from '#platform/sessions/session-repository';
import type { Store } from '#platform/store/store';
import { createTokenRepository } from '#platform/tokens/token-repository';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'Ada@example.test' };
const hourMs = 60 * 60_000;
/** Whoever joins does so themselves. */
const itself = (joined: UserRecord) => authorOf(joined, undefined);

async function openProject(store: Store) {
  const identity = createIdentityRepository(store);
  const provisioned = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: ada });
  const { projectId, id: environmentId } = provisioned.environment;
  const { id: adaId, roleId } = provisioned.member;
  return { identity, projectId, environmentId, adaId, roleId };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('invitations make a member once, also when several processes accept at the same time', async () => {
    const store = await open();
    const { projectId, adaId, roleId } = await openProject(store);
    const time = createManualTime();
    const invitations = createInvitationRepository(store, time.clock, adminLog);
    const add = (email: string, secretHash: string) =>
      invitations.add({
        projectId,
        email,
        permissionLevel: 'editor',
        roleId,
        team: null,
        further: [],
        secretHash,
        author: authorNumbered(adaId),
        expiresAt: time.clock.now() + hourMs,
      });
    await expect(add('ada@example.test', 'a')).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    const replaced = await add('bob@example.test', 'b');
    const invitation = await add('bob@example.test', 'c');
    expect(await invitations.listOpen('bob@example.test')).toEqual([invitation]);
    expect(await invitations.findBySecret('b')).toMatchObject({ id: replaced.id, revokedAt: time.clock.now() });
    const bob = { firstName: 'Bob', lastName: 'Builder', passwordHash: 'hash' };
    const accepted = await Promise.allSettled([1, 2, 3].map(() => invitations.accept(invitation, bob, itself)));
    expect(accepted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    const people = await createPeopleRepository(store, systemClock, adminLog).list(projectId);
    expect(people).toMatchObject([{ email: ada.email }, { email: 'bob@example.test', permissionLevel: 'editor' }]);
    const passwords = createPasswordRepository(store, systemClock, adminLog);
    expect(await passwords.findByEmail('bob@example.test')).toEqual({ userId: people[1]?.id, hash: 'hash' });
    expect(await passwords.findByEmail('ada@example.test')).toEqual({ userId: adaId, hash: undefined });
    expect(await passwords.findByEmail('eve@example.test')).toBeUndefined();
    const late = await add('eve@example.test', 'e');
    time.pass(hourMs);
    expect(await invitations.listOpen('eve@example.test')).toEqual([]);
    await expect(invitations.accept(late, bob, itself)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    expect(await invitations.revoke(projectId + 1, late.id, thePlatform)).toBe(false);
    expect(await invitations.revoke(projectId, late.id, thePlatform)).toBe(true);
    expect(await invitations.revoke(projectId, late.id, thePlatform)).toBe(false);
    expect((await invitations.list(projectId)).map(({ id }) => id)).toEqual([late.id, invitation.id, replaced.id]);
  });

  it('invitations of two projects that are accepted at once give the account one password', async () => {
    const store = await open();
    const { projectId, adaId, roleId } = await openProject(store);
    const market = { project: 'market', secretHash: 'other secret', user: { ...ada, email: 'eve@example.test' } };
    const other = await provisionIn(store, market);
    const invitations = createInvitationRepository(store, systemClock, adminLog);
    const common = {
      ...{ permissionLevel: 'user' as const, team: null, further: [] },
      ...{ author: authorNumbered(adaId), expiresAt: 2 ** 42 },
    };
    const bob = { ...common, email: 'bob@example.test' };
    const ofShop = await invitations.add({ ...bob, projectId, roleId, secretHash: 'a' });
    const own = { projectId: other.environment.projectId, roleId: other.member.roleId };
    const ofMarket = await invitations.add({ ...bob, ...own, secretHash: 'b' });
    const accept = (invitation: typeof ofShop, passwordHash?: string) =>
      invitations.accept(
        invitation,
        { firstName: 'Bob', lastName: 'Builder', ...(passwordHash && { passwordHash }) },
        itself,
      );
    const accepted = await Promise.allSettled([accept(ofShop, 'of shop'), accept(ofMarket, 'of market')]);
    expect(accepted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [refused] = accepted.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'REQUEST_CONFLICT' } });
    const isShop = accepted[0]?.status === 'fulfilled';
    const account = await createPasswordRepository(store, systemClock, adminLog).findByEmail(bob.email);
    expect(account?.hash).toBe(isShop ? 'of shop' : 'of market');
    expect(await accept(isShop ? ofMarket : ofShop)).toBe(account?.userId);
  });

  it('people lose everything they are signed in with when they are deactivated, and one administrator stays', async () => {
    const store = await open();
    const { identity, projectId, environmentId, adaId, roleId } = await openProject(store);
    const people = createPeopleRepository(store, systemClock, adminLog);
    const author = authorNumbered(adaId);
    const bob = { ...ada, email: 'bob@example.test' };
    const { member } = await provisionIn(store, { project: 'shop', secretHash: 'secret', user: bob });
    const tokens = createTokenRepository(store, systemClock, adminLog);
    const owner = { userId: member.id, environmentId, hasSecondFactor: false };
    const token = { ...owner, purpose: 'work', expiresAt: 2 ** 42, address: null };
    await tokens.replace({ ...token, tokenHash: 'a' });
    const signIns = createSignInStore(store, systemClock);
    await signIns.adapterOf('Session').upsert('session', { accountId: String(member.id), uid: 'u' }, 60);
    const sessions = createSessionRepository(store, systemClock, adminLog);
    const used = await sessions.list(projectId, member.id, 'a');
    expect(used).toMatchObject([
      ...[{ kind: 'browser', device: null, lastUsedAt: expect.any(String) }],
      { kind: 'token', device: null, lastUsedAt: null },
    ]);
    const at = Date.parse('2030-01-02T03:04:05.000Z');
    await saveSessionUses(store, [...used.map(({ id }) => ({ id, at })), { id: 'token-999', at }]);
    expect((await sessions.list(projectId, member.id, 'a')).map(({ lastUsedAt }) => lastUsedAt)).toEqual([
      ...['2030-01-02T03:04:05.000Z', '2030-01-02T03:04:05.000Z'],
    ]);
    expect(await people.change(projectId, member.id, { isActive: false }, author)).toMatchObject({ id: member.id });
    expect(await sessions.list(projectId, member.id, 'a')).toEqual([]);
    expect(await tokens.findByHash('a')).toMatchObject({ revokedAt: expect.any(Number) });
    expect(await identity.findMember(projectId, member.id)).toBeUndefined();
    expect(await identity.listProjects(member.id)).toEqual([]);
    for (const change of [{ isActive: false }, { permissionLevel: 'user' as const }]) {
      await expect(people.change(projectId, adaId, change, author)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    }
    await people.change(
      projectId,
      member.id,
      { isActive: true, roles: [{ id: roleId, name: 'Administrators' }] },
      author,
    );
    const both = [adaId, member.id].map((id) => people.change(projectId, id, { permissionLevel: 'user' }, author));
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await people.change(projectId + 1, adaId, { isActive: true }, author)).toBeUndefined();
    expect(await people.isManagedElsewhere(member.id, adaId)).toBe(
      (await people.find(projectId, adaId))?.permissionLevel !== 'admin',
    );
  });

  it('tries to sign in are counted for the account and the address, all at once too', async () => {
    const store = await open();
    const time = createManualTime();
    const tries = createSignInTries(store, time.clock);
    const email = 'bob@example.test';
    const many = await Promise.all(Array.from({ length: 12 }, () => tries.begin({ email, address: undefined })));
    expect(many.filter((mayTry) => mayTry)).toHaveLength(5);
    time.pass(2_000);
    expect(await tries.begin({ email, address: undefined })).toBe(true);
    time.pass(2_000);
    expect(await tries.begin({ email, address: undefined })).toBe(false);
    await tries.succeeded({ email, address: undefined });
    expect(await tries.begin({ email, address: undefined })).toBe(true);
    const address = '203.0.113.5';
    for (let index = 0; index < 50; index++) {
      expect(await tries.begin({ email: `${index}@example.test`, address })).toBe(true);
    }
    for (let index = 0; index < 6; index++) {
      expect(await tries.begin({ email: 'other@example.test', address })).toBe(false);
    }
    expect(await tries.begin({ email: 'other@example.test', address: '203.0.113.6' })).toBe(true);
    time.pass(24 * hourMs);
    expect(await tries.begin({ email: 'other@example.test', address })).toBe(true);
  });

  it('a stranger who guesses locks nobody out where they have signed in before', async () => {
    const store = await open();
    const tries = createSignInTries(store, createManualTime().clock);
    const email = 'bob@example.test';
    const home = { email, address: '203.0.113.7' };
    expect(await tries.begin(home)).toBe(true);
    await tries.succeeded(home);
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_none, index) => tries.begin({ email, address: `198.51.100.${index}` })),
    );
    expect(guesses.filter((mayTry) => mayTry)).toHaveLength(5);
    expect(await tries.failuresOf(home)).toBe(0);
    expect(await tries.begin(home)).toBe(true);
    const elsewhere = { email, address: '203.0.113.8' };
    expect([await tries.failuresOf(elsewhere), await tries.begin(elsewhere)]).toEqual([undefined, false]);
  });

  it('links for passwords work once, until they end, and until a newer one is made', async () => {
    const store = await open();
    const { projectId, environmentId, adaId } = await openProject(store);
    const author = authorNumbered(adaId);
    const time = createManualTime();
    const passwords = createPasswordRepository(store, time.clock, adminLog);
    const add = (secretHash: string) =>
      passwords.addReset({
        secretHash,
        user: { ...ada, id: adaId },
        projectId,
        author,
        expiresAt: time.clock.now() + hourMs,
      });
    await add('a');
    await add('b');
    expect(await passwords.findReset('a')).toBeUndefined();
    const tokens = createTokenRepository(store, systemClock, adminLog);
    await tokens.replace({
      userId: adaId,
      environmentId,
      purpose: '',
      expiresAt: 2 ** 42,
      address: null,
      tokenHash: 't',
      hasSecondFactor: false,
    });
    const used = await Promise.all([
      passwords.useReset('b', 'hash', undefined),
      passwords.useReset('b', 'other', undefined),
    ]);
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1);
    expect(await tokens.findByHash('t')).toMatchObject({ revokedAt: time.clock.now() });
    await add('c');
    time.pass(hourMs);
    expect(await passwords.useReset('c', 'late', undefined)).toBe(false);
  });

  it('environments get the teams of their project, and another secret when told to', async () => {
    const store = await open();
    const { identity, projectId } = await openProject(store);
    const environments = createEnvironmentRepository(store, systemClock, adminLog);
    const staging = { projectId, name: 'staging', type: 'production', secretHash: 's', agentAddresses: [] } as const;
    const made = await Promise.allSettled([
      environments.add(staging, thePlatform),
      environments.add({ ...staging, secretHash: 't' }, thePlatform),
    ]);
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const [, found] = await identity.listEnvironments(projectId);
    if (!found) throw new Error('The environment is missing.');
    expect(found).toMatchObject({ name: 'staging', type: 'production', agentAddresses: [] });
    expect(await identity.listRenderings(found.id)).toMatchObject([{ team: 'Operations' }]);
    await environments.setSecret(found, 'newer', thePlatform);
    await environments.setAgentAddresses(found, ['https://admin.example.test/service'], thePlatform);
    expect(await identity.findEnvironmentBySecret('s')).toBeUndefined();
    expect(await identity.findEnvironmentBySecret('newer')).toMatchObject({
      agentAddresses: ['https://admin.example.test/service'],
    });
  });

  it('keys of the sign-in are encrypted, opened with the same key only, and rotate', async () => {
    const store = await open();
    const time = createManualTime();
    const keyringWith = (key: string) =>
      createSignInKeyring({
        store,
        sealed: createSealedTexts(key, 'keys of the sign-in'),
        adminLog,
        clock: time.clock,
        random: systemRandom,
      });
    const keyring = keyringWith('a'.repeat(64));
    const [first] = (await keyring.current()).signingKeys;
    const rows = await store.db.selectFrom('signInKeys').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(String(first?.d));
    await expect(keyringWith('b'.repeat(64)).current()).rejects.toMatchObject({ code: 'PLATFORM_KEY_WRONG' });
    time.pass(1);
    await keyring.rotate(thePlatform);
    const other = await keyringWith('a'.repeat(64)).current();
    expect(other.signingKeys).toHaveLength(2);
    expect(other.signingKeys[1]).toEqual(first);
    expect((await keyring.current()).version).toBe(other.version);
    time.pass(24 * hourMs);
    await keyring.rotate(thePlatform);
    expect((await keyring.current()).signingKeys).toHaveLength(2);
    expect(await store.db.selectFrom('signInKeys').select('id').execute()).toHaveLength(2);
  });

  it('sign-ins are found by a code of a device and by who gave a grant, and know where they come from', async () => {
    const store = await open();
    const { projectId, environmentId, adaId } = await openProject(store);
    const signIns = createSignInStore(store, systemClock);
    const codes = signIns.adapterOf('DeviceCode');
    await codes.upsert('device', { userCode: 'ABCD', clientId: 'vendor-cloud', jti: 'device' }, 60);
    expect(await codes.findByUserCode('ABCD')).toMatchObject({ jti: 'device', clientId: 'vendor-cloud' });
    expect(await codes.findByUserCode('EFGH')).toBeUndefined();
    const clientId = `agent-of-environment-${environmentId}`;
    const grant = { jti: 'grant', clientId, accountId: String(adaId) };
    const firefox = `Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0 ${'x'.repeat(300)}`;
    await signIns.withOrigin({ ip: '203.0.113.5', headers: { 'user-agent': firefox } }, () =>
      signIns.adapterOf('Grant').upsert('grant', grant, 60),
    );
    const kept = await store.db.selectFrom('signIns').select('userAgent').where('kind', '=', 'Grant').execute();
    expect(kept).toEqual([{ userAgent: firefox.slice(0, 200) }]);
    await signIns.adapterOf('RefreshToken').upsert('refresh', { ...grant, jti: 'refresh', grantId: 'grant' }, 60);
    expect(await signIns.findGrantId(clientId, String(adaId))).toBe('grant');
    const sessions = createSessionRepository(store, systemClock, adminLog);
    const [listed] = await sessions.list(projectId, adaId, undefined);
    expect(listed).toMatchObject({ kind: 'agent', purpose: 'development', address: '203.0.113.5', lastUsedAt: null });
    expect(listed?.device).toEqual({ browser: 'Firefox 147', system: 'Linux' });
    expect(await sessions.end(projectId, { ...ada, id: adaId + 1 }, listed?.id ?? '', thePlatform)).toBe(false);
    expect(await sessions.end(projectId, { ...ada, id: adaId }, listed?.id ?? '', thePlatform)).toBe(true);
    expect(await signIns.adapterOf('RefreshToken').find('refresh')).toBeUndefined();
    expect(await signIns.findGrantId(clientId, String(adaId))).toBeUndefined();
  });

  it('sign-ons with the company end once, and in the sign-in that they are a part of', async () => {
    const store = await open();
    const underWay = createSignOnRepository(store, systemClock);
    const secrets = { state: 'state', nonce: 'nonce', codeVerifier: 'verifier' };
    await underWay.add('uid', secrets);
    expect([await underWay.findUid('state'), await underWay.findUid('other')]).toEqual(['uid', undefined]);
    expect(await underWay.take('other', 'state')).toBeUndefined();
    expect(await underWay.take('uid', 'state')).toEqual(secrets);
    expect(await underWay.take('uid', 'state')).toBeUndefined();
  });
});
