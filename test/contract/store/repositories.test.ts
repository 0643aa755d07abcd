import { describe, expect, it } from 'vitest';
import type { Activity } from '#contracts/activity';
import type { Clock } from '#kernel/ports/clock';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createActivityService } from '#platform/activity/activity-service';
import { createSpentApprovalRepository } from '#platform/approvals/spent-approvals';
import { findChain } from '#platform/audit/audit-chains';
import { readLog } from '#platform/audit/read-log';
import { createCustomizationRepository } from '#platform/customizations/customizations';
import { createEventHub } from '#platform/events/event-hub';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createIpRuleRepository } from '#platform/ip-rules/ip-rule-repository';
import { createSignInStore } from '#platform/provider/provider-store';
import { createSchemaRepository } from '#platform/schemas/schemas';
import type { Store } from '#platform/store/store';
import { createTokenRepository } from '#platform/tokens/token-repository';
import { createVersionRepository, type NewVersion } from '#platform/versions/version-repository';
import { createOverrideRepository } from '#sandbox/fixtures/override-repository';
import type { ProvisionInput } from '#sandbox/provisioning/provision-development';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { sealedValues } from '../../helpers/sealed-values.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { storedActivities } from '../../helpers/stored-activities.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };

/** Another environment for each secret. */
function provision(store: Store, change: Partial<ProvisionInput> = {}) {
  const input = { project: 'shop', secretHash: 'secret', user: ada, ...change };
  return provisionIn(store, input);
}

function activity(change: Partial<Activity> = {}): Activity {
  return {
    id: crypto.randomUUID(),
    occurredAt: '2026-01-02T03:04:05.678Z',
    type: 'write',
    action: 'update',
    collection: 'orders',
    recordIds: ['1', 'a|ö'],
    recordCount: null,
    durationMs: 4,
    source: 'rest',
    user: { id: 7, email: 'ada@example.test', name: 'Ada Lovelace', team: 'Operations', role: 'Operator' },
    renderingId: 3,
    correlationId: 'c',
    status: 'completed',
    ...change,
  };
}

describe.each(useStoreEngines())('on $engine', ({ newPlace }) => {
  const open = async () => openTestStore(await newPlace());

  it('identity makes what is missing, finds it again, and moves an environment to its renamed project', async () => {
    const store = await open();
    const identity = createIdentityRepository(store);
    const first = await provision(store);
    expect(first).toMatchObject({
      environment: { projectName: 'shop', name: 'development', type: 'development', apiEndpoint: null },
      member: { ...ada, permissionLevel: 'admin', roleName: 'Administrators' },
      rendering: { environmentId: first.environment.id, team: 'Operations' },
    });
    expect(await provision(store)).toEqual(first);
    const renamed = await provision(store, { user: { ...ada, firstName: 'Augusta' }, project: 'market' });
    expect(renamed.environment).toMatchObject({ id: first.environment.id, projectName: 'market' });
    expect(await identity.findEnvironmentBySecret('secret')).toEqual(renamed.environment);
    expect(await identity.findEnvironment(first.environment.id)).toEqual(renamed.environment);
    expect(await identity.findEnvironmentBySecret('other')).toBeUndefined();
    expect(await identity.findUser(first.member.id)).toEqual({ id: first.member.id, ...ada, firstName: 'Augusta' });
    expect(await identity.listMembers(renamed.environment.projectId)).toEqual([renamed.member]);
    expect(await identity.listRenderings(first.environment.id)).toEqual([first.rendering]);
    expect(await identity.findRendering(first.environment.id, first.rendering.id)).toEqual(first.rendering);
    expect(await identity.findRendering(first.environment.id + 1, first.rendering.id)).toBeUndefined();
  });

  it('tokens are replaced by newer ones of the same purpose, and revoked', async () => {
    const store = await open();
    const { environment, member } = await provision(store);
    const tokens = createTokenRepository(store, { ...systemClock, now: () => 5 }, adminLog);
    const owner = { userId: member.id, environmentId: environment.id, hasSecondFactor: false };
    const token = { ...owner, expiresAt: 2 ** 42 };
    await tokens.replace({ ...token, address: null, tokenHash: 'a', purpose: 'work' });
    await tokens.replace({ ...token, address: null, tokenHash: 'b', purpose: 'play' });
    await tokens.replace({ ...token, address: null, tokenHash: 'c', purpose: 'work' });
    expect(await tokens.findByHash('a')).toMatchObject({ ...token, tokenHash: 'a', revokedAt: 5 });
    expect(await tokens.findByHash('b')).toMatchObject({ revokedAt: null });
    await tokens.revoke('c');
    await tokens.revoke('unknown');
    expect(await tokens.findByHash('c')).toMatchObject({ revokedAt: 5 });
    expect(await tokens.findByHash('unknown')).toBeUndefined();
  });

  it('schemas are those that were sent last, by environment', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const schemas = createSchemaRepository(store, systemClock);
    const meta = { agent: 'a', agent_version: '1', agent_features: null, stack: { engine: 'n', engine_version: '24' } };
    await schemas.save(environment.id, 'first', { collections: [], meta });
    await schemas.save(environment.id, 'second', { collections: [], meta: { ...meta, agent_version: '2' } });
    expect(await schemas.findHash(environment.id)).toBe('second');
    expect(await schemas.findDocument(environment.id)).toMatchObject({ meta: { agent_version: '2' } });
    expect(await schemas.findHash(environment.id + 1)).toBeUndefined();
    expect(await schemas.findDocument(environment.id + 1)).toBeUndefined();
  });

  it('schemas that several agents send at once are kept whole: one of them, and no part of another', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const schemas = createSchemaRepository(store, systemClock);
    const stack = { engine: 'n', engine_version: '24' };
    const send = (agent_version: string) => {
      const meta = { agent: 'a', agent_version, agent_features: null, stack };
      return schemas.save(environment.id, agent_version, { collections: [], meta });
    };
    const sent = Array.from({ length: 10 }, (_, index) => `${index}`);
    await Promise.all(sent.map(send));
    const kept = await schemas.findHash(environment.id);
    expect(sent).toContain(kept);
    expect(await schemas.findDocument(environment.id)).toMatchObject({ meta: { agent_version: kept } });
    await send('last');
    expect(await schemas.findHash(environment.id)).toBe('last');
  });

  it('overrides are merged, those of several tests at once too, and cleared', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const overrides = createOverrideRepository(store);
    expect(await overrides.find(environment.id)).toBeUndefined();
    const names = Array.from({ length: 8 }, (_each, index) => `collection ${index}`);
    await Promise.all(names.map((name) => overrides.merge(environment.id, { [name]: { actions: { Refund: {} } } })));
    expect(Object.keys((await overrides.find(environment.id)) ?? {}).sort()).toEqual(names);
    await overrides.clear(environment.id);
    expect(await overrides.find(environment.id)).toBeUndefined();
  });

  it('versions are numbered without gaps in a project, once for each idempotency key and content', async () => {
    const store = await open();
    const { environment, member } = await provision(store);
    const { projectId } = environment;
    const versions = createVersionRepository(store, { ...systemClock, now: () => 9 }, adminLog);
    expect(await versions.findBundleSize(projectId, 'digest')).toBeUndefined();
    expect(await versions.addBundle(projectId, 'digest', Uint8Array.of(1, 2, 3))).toBe(true);
    expect(await versions.addBundle(projectId, 'digest', Uint8Array.of(1, 2, 3))).toBe(false);
    expect(await versions.findBundleSize(projectId, 'digest')).toBe(3);
    const version = (key: string): NewVersion => ({
      projectId,
      digest: 'digest',
      message: key,
      author: authorNumbered(member.id),
      builtWith: '0.1.0',
      gitCommit: null,
      idempotencyKey: key,
      requestHash: key,
      contentHash: `content of ${key}`,
      content: '{}',
    });
    const keys = ['a', 'b', 'c', 'd', 'a', 'b'];
    const answers = await Promise.all(keys.map((key) => versions.addVersion(version(key))));
    const made = answers.map(({ version: record }) => record);
    expect([...new Set(made.map(({ number }) => number))].sort()).toEqual([1, 2, 3, 4]);
    expect(made[4]).toEqual(made[0]);
    expect(made[0]).toEqual({
      ...version('a'),
      number: made[0]?.number,
      authorId: member.id,
      sizeBytes: 3,
      author: { id: member.id, ...ada },
      createdAt: 9,
    });
    expect(await versions.findVersionByKey(projectId, 'b')).toEqual(made[1]);
    expect((await versions.listVersions(projectId, 2, undefined)).map(({ number }) => number)).toEqual([4, 3]);
    expect((await versions.listVersions(projectId, 9, 3)).map(({ number }) => number)).toEqual([2, 1]);
    const again = await versions.addVersion({ ...version('f'), contentHash: 'content of b' });
    expect(again).toEqual({ version: made[1], isNew: false });
    const missing = versions.addVersion({ ...version('e'), digest: 'unknown' });
    await expect(missing).rejects.toMatchObject({ code: 'DATABASE_CONSTRAINT_VIOLATED' });
  });

  it('sign-ins are found until they end, and are gone when they are destroyed or revoked', async () => {
    const store = await open();
    let now = 1_000_000;
    const clock: Clock = { ...systemClock, now: () => now };
    const signIns = createSignInStore(store, clock);
    const codes = signIns.adapterOf('AuthorizationCode');
    await codes.upsert('code', { jti: 'code', uid: 'u', grantId: 'g', accountId: '7' }, 60);
    await codes.upsert('other', { jti: 'other', grantId: 'g' }, 600);
    expect(await codes.find('code')).toEqual({ jti: 'code', uid: 'u', grantId: 'g', accountId: '7' });
    expect(await signIns.adapterOf('Session').find('code')).toBeUndefined();
    expect(await codes.findByUid('u')).toMatchObject({ accountId: '7' });
    await codes.consume('code');
    expect(await codes.find('code')).toMatchObject({ consumed: 1_000 });
    now += 60_000;
    expect(await codes.find('code')).toBeUndefined();
    await codes.destroy('code');
    expect(await codes.find('other')).toBeDefined();
    await codes.revokeByGrantId('g');
    expect(await codes.find('other')).toBeUndefined();
    const kept = await store.db.selectFrom('signIns').select('id').execute();
    expect(kept).toEqual([]);
  });

  it('a registered agent keeps what several of them change at once', async () => {
    const signIns = createSignInStore(await open(), systemClock);
    const addresses = Array.from({ length: 8 }, (_each, index) => `https://agent-${index}.test/`);
    await Promise.all(
      addresses.map((address) =>
        signIns.changeClient('agent', (before) => ({
          redirect_uris: [...((before?.['redirect_uris'] as string[] | undefined) ?? []), address],
        })),
      ),
    );
    const client = await signIns.adapterOf('Client').find('agent');
    const known = client?.['redirect_uris'] as readonly string[] | undefined;
    expect(known?.toSorted()).toEqual(addresses);
  });

  it('rules for addresses let everybody in until some are saved', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const rules = createIpRuleRepository(store, adminLog);
    expect(await rules.find(environment.id)).toEqual({ use_ip_whitelist: false, rules: [] });
    const saved = { use_ip_whitelist: true, rules: [{ type: 0 as const, ip: '10.0.0.1' }] };
    await rules.save(environment, { use_ip_whitelist: true, rules: [] });
    await rules.save(environment, saved);
    expect(await rules.find(environment.id)).toEqual(saved);
  });

  it('activities are kept once, in the order of their arrival', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const activities = createActivityService(store, {
      clock: systemClock,
      random: systemRandom,
      news: { tell: () => undefined },
      sealed: sealedValues,
    });
    const first = activity();
    const second = activity({ label: 'link', recordCount: 0 });
    const third = activity();
    await activities.record(environment, [first, second]);
    await activities.record(environment, [{ ...second, status: 'failed' }, third, third]);
    expect(await storedActivities(store, environment.id)).toEqual([first, second, third]);
    expect(await storedActivities(store, environment.id + 1)).toEqual([]);
    const full = Array.from({ length: 500 }, () => activity());
    await activities.record(environment, full);
    expect(await storedActivities(store, environment.id)).toHaveLength(503);
  });

  it('an activity is found by all of its records, and its outcome is taken once', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const activities = createActivityService(store, {
      clock: systemClock,
      random: systemRandom,
      news: { tell: () => undefined },
      sealed: sealedValues,
    });
    const pending = activity({
      action: 'delete',
      recordIds: [],
      recordCount: null,
      durationMs: null,
      status: 'pending',
    });
    const ended = { ...pending, recordIds: ['1', '2'], recordCount: 3, durationMs: 9, status: 'completed' as const };
    const more = { id: pending.id, part: 1, recordIds: ['3'] };
    await activities.record(environment, [pending]);
    await activities.record(environment, [ended, more]);
    await activities.record(environment, [{ ...ended, status: 'failed' }, more, pending]);
    const chain = await findChain(store.db, { kind: 'activity', environmentId: environment.id });
    if (!chain) throw new Error('There is no chain.');
    expect(chain.headSequence).toBe(4);
    for (const recordId of ['1', '2', '3']) {
      const { rows } = await readLog(store.db, chain, { recordId, status: 'completed' }, { limit: 5, order: 'desc' });
      expect(rows).toMatchObject([{ entry: { id: pending.id, sequence: 1 }, status: 'completed' }]);
    }
    const orphan = activities.record(environment, [activity(), { ...more, id: crypto.randomUUID() }]);
    await expect(orphan).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
    expect(await storedActivities(store, environment.id)).toHaveLength(1);
  });

  it('customizations are those that were saved last', async () => {
    const store = await open();
    const { environment } = await provision(store);
    const customizations = createCustomizationRepository(store);
    expect(await customizations.find(environment.id)).toEqual([]);
    await customizations.save(environment.id, [{ type: 'action' }]);
    await customizations.save(environment.id, [{ type: 'action', name: 'b' }]);
    expect(await customizations.find(environment.id)).toEqual([{ type: 'action', name: 'b' }]);
  });

  it('an approval is good for one of the runs that ask at once, and again for that one', async () => {
    const store = await open();
    const { environment } = await provision(store);
    let now = 0;
    const approvals = createSpentApprovalRepository(store, { ...systemClock, now: () => now });
    const spend = (runId: string) => approvals.spend(environment.id, { digest: 'd', runId, expiresAt: 60 });
    const runs = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(runs.map(spend));
    expect(answers.filter(Boolean)).toHaveLength(1);
    expect(await Promise.all(runs.map(spend))).toEqual(answers);
    now = 3 * 24 * 60 * 60 * 1000;
    expect(await spend('much later')).toBe(true);
  });

  it('agents learn about a change in their environment only, once it is committed', async () => {
    const store = await open();
    const [own, foreign] = [await provision(store), await provision(store, { secretHash: 'foreign' })];
    const heard: unknown[] = [];
    createEventHub(store).subscribe(own.environment.id, 0, {
      send: (event, sequence) => heard.push({ ...event, sequence }),
      end: () => heard.push('end'),
    });
    await createCustomizationRepository(store).save(foreign.environment.id, []);
    await createOverrideRepository(store).clear(own.environment.id);
    await expect
      .poll(() => heard)
      .toEqual([
        { name: 'refresh-users', sequence: 1 },
        { name: 'refresh-roles', sequence: 2 },
      ]);
  });
});
