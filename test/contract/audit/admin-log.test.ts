import { describe, expect, it } from 'vitest';
import type { AdminEntry, AuditRow } from '#contracts/audit/rows';
import { systemClock } from '#node/system/system-clock';
import { authorOf, thePlatform } from '#platform/audit/admin-log';
import { findChain } from '#platform/audit/audit-chains';
import { readLog } from '#platform/audit/read-log';
import { createEnvironmentRepository } from '#platform/environments/environment-repository';
import { createIdentityRepository } from '#platform/identity/identity-repository';
import { createPeopleRepository } from '#platform/people/people-repository';
import { adminLog, provisionIn } from '../../helpers/admin-log.ts';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { auditedEnvironment } from './audited-environment.ts';

const ada = { id: 7, email: 'ada@example.test', firstName: 'Ada', lastName: 'Lovelace' };

describe.each(useStoreEngines())('the log of changes of a project on $engine', ({ newPlace }) => {
  it('has a change if, and only if, its transaction is committed', async () => {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    const { projectId } = environmentId;
    const start = (await findChain(store.db, { kind: 'admin', projectId }))?.headSequence ?? 0;
    const change = { projectId, type: 'add', resource: 'role', newValue: { name: 'Support' } } as const;

    await store.transaction(async (transaction) => {
      adminLog(transaction, { ...change, author: authorOf(ada, '203.0.113.7') });
      adminLog(transaction, { ...change, author: thePlatform, environment: 'Production' });
    });
    const failed = store.transaction(async (transaction) => {
      adminLog(transaction, { ...change, author: thePlatform });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');

    const chain = await findChain(store.db, { kind: 'admin', projectId });
    const { rows } = chain
      ? await readLog(store.db, chain, {}, { limit: 10, order: 'asc', after: start })
      : { rows: [] };
    expect(rows.map(({ entry }) => entry as Partial<AuditRow>)).toMatchObject([
      {
        object: 'adminLog',
        sequence: start + 1,
        resource: 'role',
        initiator: 'administrator',
        user: { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada Lovelace' },
        address: '203.0.113.7',
        newValue: { name: 'Support' },
      },
      { sequence: start + 2, initiator: 'platform', environment: { object: 'environment', name: 'Production' } },
    ]);
    expect(rows[1]?.entry).not.toHaveProperty('user');
  });

  it('refuses a change that it cannot write down', async () => {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    const { projectId } = environmentId;
    const people = createPeopleRepository(store, systemClock, adminLog);
    const [person] = await people.list(projectId);
    const id = person?.id ?? 0;
    // The next row would get the number of a row that is there.
    await store.transaction(({ db }) => db.updateTable('auditChains').set({ headSequence: 0 }).execute());
    const unchanged = people.change(projectId, id, { isActive: true }, authorOf(ada, undefined));
    await expect(unchanged).resolves.toMatchObject({ id });
    const environments = createEnvironmentRepository(store, systemClock, adminLog);
    const canary = { projectId, name: 'canary', type: 'production', secretHash: 'c', agentAddresses: [] } as const;
    await expect(environments.add(canary, thePlatform)).rejects.toThrow();
    const names = await store.db.selectFrom('environments').select('name').execute();
    expect(names).toEqual([{ name: 'development' }]);
  });

  it('has what a developer makes on their own machine, once', async () => {
    const store = await openTestStore(await newPlace());
    const _identity = createIdentityRepository(store);
    const { id: _id, ...user } = { ...ada };
    const provision = (project: string, secretHash: string) => provisionIn(store, { project, secretHash, user });
    const shop = (await provision('shop', 'a')).environment.projectId;
    await provision('shop', 'a');
    await provision('shop', 'b');
    const market = (await provision('market', 'c')).environment.projectId;
    await provision('market', 'b');
    expect((await provision('boutique', 'a')).environment.projectId).toBe(shop);
    const rowsOf = async (projectId: number) => {
      const chain = await findChain(store.db, { kind: 'admin', projectId });
      const { rows } = chain ? await readLog(store.db, chain, {}, { limit: 50, order: 'asc' }) : { rows: [] };
      const entries = rows.map(({ entry }) => entry as AdminEntry);
      expect(new Set(entries.map(({ user: author }) => author?.email))).toEqual(new Set([ada.email]));
      return entries.map(({ type, resource }) => `${type} ${resource}`);
    };
    const first = ['initial role', 'initial user-project', 'initial team', 'initial environment'];
    expect(await rowsOf(shop)).toEqual([...first, 'add environment', 'remove environment', 'update project']);
    expect(await rowsOf(market)).toEqual([...first, 'add environment']);
  });
});
