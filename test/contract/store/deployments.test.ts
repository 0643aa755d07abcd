import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostGoneMs } from '#contracts/hosting';
import { cloudError } from '#kernel/errors/cloud-error';
import { silentLogger } from '#kernel/ports/logger';
import { createSealedTexts } from '#node/system/secrets';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createAdvance } from '#platform/deployments/advance-deployment';
import { createDeploymentRepository } from '#platform/deployments/deployment-repository';
import { createDeploymentService } from '#platform/deployments/deployment-service';
import { createHostOrders } from '#platform/deployments/host-orders';
import { createPlatformCheck } from '#platform/deployments/platform-check';
import { createEventHub } from '#platform/events/event-hub';
import { createHostRepository } from '#platform/hosts/host-repository';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createVariableRepository } from '#platform/variables/variable-repository';
import { createVariableService } from '#platform/variables/variable-service';
import { createVersionRepository } from '#platform/versions/version-repository';
import { adminLog, authorNumbered, provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' };

describe.each(useStoreEngines())('deployments on $engine', ({ newPlace }) => {
  /** A project with two versions, and what its hosts and its people do. `problem` is what the platform's own check finds. */
  async function start(problem?: string, beforeCheck?: Promise<void>, withoutHost?: string) {
    const store = await openTestStore(await newPlace());
    let passedMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + passedMs };
    const identity = createIdentityRepository(store);
    const { environment, member } = await provisionIn(store, {
      project: 'shop',
      secretHash: 'secret',
      user: ada,
    });
    const { projectId, id: environmentId } = environment;
    const by = {
      user: member,
      environment,
      credential: { kind: 'token', token: 'vcu_' } as const,
      signedInAt: undefined,
      hasSecondFactor: false,
      author: authorNumbered(member.id),
    };
    const versions = createVersionRepository(store, clock, adminLog);
    await versions.addBundle(projectId, 'digest', Uint8Array.of(1));
    for (const key of ['a', 'b']) {
      const content = JSON.stringify({ code: { digest: 'digest', sizeBytes: 1 }, permissions: null, dataSources: {} });
      const origin = { message: key, author: by.author, builtWith: '0.1.0', gitCommit: null };
      const keys = { idempotencyKey: key, requestHash: key, contentHash: key, content };
      await versions.addVersion({ projectId, digest: 'digest', ...origin, ...keys });
    }
    const hosts = createHostRepository(store, clock);
    const deployments = createDeploymentRepository(store, clock, adminLog);
    const orders = createHostOrders(deployments, versions);
    const advance = createAdvance(deployments, hosts, clock, withoutHost);
    const variables = createVariableService(
      createVariableRepository(store, createSealedTexts('key', 'test'), clock, systemRandom, adminLog),
    );
    const platformCheck = createPlatformCheck({
      ...{ store, identity, versions, variables, orders, advance, logger: silentLogger },
      checkDeployment: async () => {
        await beforeCheck;
        if (problem !== undefined) throw cloudError('CUSTOMIZATION_FAILED', problem, 'To fix it.');
      },
    });
    onTestFinished(() => platformCheck.stop());
    const service = createDeploymentService({ deployments, versions, variables, advance, platformCheck });
    const deploy = (version: number, base: number | null) =>
      service.create(by, { target: { version }, base, idempotencyKey: randomUUID() });
    const statesNow = async () => {
      const { live, deployments } = await service.list(by, 10, undefined);
      return { live, states: deployments.map(({ state }) => state) };
    };
    const host = (name: string) => {
      const id = randomUUID();
      /** Tell what the host has done, and resolve with the numbers of what it is to serve and to check. */
      return async (done: { serving?: number; checked?: number; refused?: number } = {}) => {
        const { serving = null, checked = null, refused } = done;
        const refusal = refused === undefined ? null : { deployment: refused, reason: 'it is broken' };
        const beat = { host: id, name, workers: 1, serving, checked, refused: refusal, log: [] };
        if (await hosts.noteBeat(environmentId, beat)) await service.advance(environmentId);
        const { serve, check } = await orders(environment);
        return { serve: serve?.deployment, check: check?.deployment };
      };
    };
    const wait = (ms: number) => {
      passedMs += ms;
    };
    return { service, by, deploy, statesNow, host, wait, environmentId, events: createEventHub(store) };
  }

  it('wait for every host to check, then for every host to serve', async () => {
    const { deploy, statesNow, host } = await start();
    const [first, second] = [host('first'), host('second')];
    expect([await first(), await second()]).toEqual([{}, {}].map(() => ({ serve: undefined, check: undefined })));
    expect((await deploy(1, null)).state).toBe('checking');
    expect(await first()).toEqual({ serve: undefined, check: 1 });
    expect(await first({ checked: 1 })).toEqual({ serve: undefined, check: 1 });
    expect(await second({ checked: 1 })).toEqual({ serve: 1, check: undefined });
    await first({ checked: 1, serving: 1 });
    expect(await statesNow()).toEqual({ live: null, states: ['checking'] });
    await second({ checked: 1, serving: 1 });
    expect(await statesNow()).toEqual({ live: 1, states: ['live'] });
  });

  it('fail everywhere when one host refuses, also while hosts swap, and the one before keeps serving', async () => {
    const { deploy, statesNow, host, service, by } = await start();
    const [first, second] = [host('first'), host('second')];
    await first();
    await second();
    await deploy(1, null);
    await first({ checked: 1 });
    await second({ checked: 1 });
    await first({ serving: 1 });
    await second({ serving: 1 });
    await deploy(2, 1);
    await first({ serving: 1, checked: 2 });
    expect(await second({ serving: 1, checked: 2 })).toEqual({ serve: 2, check: undefined });
    await first({ serving: 2, checked: 2 });
    expect(await second({ serving: 1, checked: 2, refused: 2 })).toEqual({ serve: 1, check: undefined });
    expect(await first({ serving: 2, checked: 2 })).toEqual({ serve: 1, check: undefined });
    expect(await statesNow()).toEqual({ live: 1, states: ['failed', 'live'] });
    expect((await service.find(by, 2)).note).toBe('The host "second" refused it: it is broken');
  });

  it('go on without a host that was silent for too long', async () => {
    const { deploy, statesNow, host, wait, service, environmentId } = await start();
    const [first, second] = [host('first'), host('second')];
    await first();
    await second();
    await deploy(1, null);
    await first({ checked: 1 });
    wait(hostGoneMs - 1000);
    await first({ checked: 1 });
    expect(await statesNow()).toEqual({ live: null, states: ['checking'] });
    wait(2000);
    await service.advance(environmentId);
    expect(await first({ checked: 1 })).toEqual({ serve: 1, check: undefined });
    await first({ checked: 1, serving: 1 });
    expect(await statesNow()).toEqual({ live: 1, states: ['live'] });
  });

  it('say what is true of a platform on which somebody develops', async () => {
    const { deploy, service, by } = await start(undefined, undefined, 'Somebody develops here.');
    await deploy(1, null);
    await expect.poll(() => service.find(by, 1)).toMatchObject({ state: 'live', note: 'Somebody develops here.' });
  });

  it('are checked by the platform where no host is connected', async () => {
    const passing = await start();
    await passing.deploy(1, null);
    await expect
      .poll(() => passing.service.find(passing.by, 1))
      .toMatchObject({ state: 'live', note: expect.stringContaining('No host') });
    const failing = await start('it does not load');
    await failing.deploy(1, null);
    await expect
      .poll(() => failing.service.find(failing.by, 1))
      .toMatchObject({ state: 'failed', note: 'The check of the platform found: it does not load' });
    expect(await failing.statesNow()).toEqual({ live: null, states: ['failed'] });
  });

  it('wait for the check of the platform one after the other, and nobody waits for it', async () => {
    const { promise: beforeCheck, resolve: allowChecks } = Promise.withResolvers<void>();
    const { deploy, statesNow, service, environmentId } = await start(undefined, beforeCheck);
    expect((await deploy(1, null)).state).toBe('checking');
    expect((await deploy(2, 1)).state).toBe('queued');
    await service.advance(environmentId);
    expect(await statesNow()).toEqual({ live: null, states: ['queued', 'checking'] });
    allowChecks();
    await expect.poll(statesNow).toEqual({ live: 2, states: ['live', 'replaced'] });
  });

  it('tell hosts to ask for their orders only when there is something new', async () => {
    const { deploy, host, events, environmentId } = await start();
    const only = host('only');
    await only();
    await deploy(1, null);
    const before = await events.newest(environmentId);
    await only({ checked: 7 });
    expect(await events.newest(environmentId)).toBe(before);
    await only({ checked: 1 });
    expect(await events.newest(environmentId)).toBeGreaterThan(before);
  });

  it('are carried out one after the other, and swap back without a check', async () => {
    const { deploy, statesNow, host } = await start();
    const only = host('only');
    await only();
    await deploy(1, null);
    // Whoever does not know of the one that is being carried out would replace it unseen.
    await expect(deploy(2, null)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await deploy(2, 1);
    expect(await only()).toEqual({ serve: undefined, check: 1 });
    expect(await only({ checked: 1 })).toEqual({ serve: 1, check: undefined });
    expect(await only({ checked: 1, serving: 1 })).toEqual({ serve: 1, check: 2 });
    await only({ checked: 2, serving: 1 });
    await only({ checked: 2, serving: 2 });
    expect(await statesNow()).toEqual({ live: 2, states: ['live', 'replaced'] });
    await expect(deploy(1, 1)).rejects.toMatchObject({ code: 'REQUEST_CONFLICT' });
    await deploy(1, 2);
    expect(await only({ checked: 2, serving: 2 })).toEqual({ serve: 3, check: undefined });
  });
});
