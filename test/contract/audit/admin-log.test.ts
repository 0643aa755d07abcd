import { describe, expect, it } from 'vitest';
import type { AuditRow } from '#contracts/audit/rows';
import { systemClock } from '#host/system/system-clock';
import { systemRandom } from '#host/system/system-random';
import { authorOf, createAdminLog, thePlatform } from '#sandbox/audit/admin-log';
import { findChain } from '#sandbox/audit/audit-chains';
import { readLog } from '#sandbox/audit/read-log';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { auditedEnvironment } from './audited-environment.ts';

describe.each(useStoreEngines())('the log of changes of a project on $engine', ({ newPlace }) => {
  it('has a change if, and only if, its transaction is committed', async () => {
    const { store, environmentId } = await auditedEnvironment(await openTestStore(await newPlace()));
    const { projectId } = environmentId;
    const record = createAdminLog(systemClock, systemRandom);
    const ada = { id: 7, email: 'ada@example.test', firstName: 'Ada', lastName: 'Lovelace' };
    const change = { projectId, type: 'add', resource: 'role', newValue: { name: 'Support' } } as const;

    await store.transaction(async (transaction) => {
      record(transaction, { ...change, author: authorOf(ada, '203.0.113.7') });
      record(transaction, { ...change, author: thePlatform, environment: 'Production' });
    });
    const failed = store.transaction(async (transaction) => {
      record(transaction, { ...change, author: thePlatform });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');

    const chain = await findChain(store.db, { kind: 'admin', projectId });
    const { rows } = chain ? await readLog(store.db, chain, {}, { limit: 10, order: 'asc' }) : { rows: [] };
    expect(rows.map(({ entry }) => entry as Partial<AuditRow>)).toMatchObject([
      {
        object: 'adminLog',
        sequence: 1,
        resource: 'role',
        initiator: 'administrator',
        user: { object: 'user', id: 7, email: 'ada@example.test', username: 'Ada Lovelace' },
        address: '203.0.113.7',
        newValue: { name: 'Support' },
      },
      { sequence: 2, initiator: 'platform', environment: { object: 'environment', name: 'Production' } },
    ]);
    expect(rows[1]?.entry).not.toHaveProperty('user');
  });
});
