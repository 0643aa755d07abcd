import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { openFileObjects } from '#node/objects/file-objects';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { systemRandom } from '#node/system/system-random';
import { archiveStore } from '#platform/archive/archive-store';
import { findChain } from '#platform/audit/audit-chains';
import { openChain } from '#platform/audit/chain-writer';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { createSegmentKeeper } from '#platform/audit/segments';
import { createManualTime } from '../../helpers/manual-time.ts';
import { openTestStore } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const dayMs = 24 * 60 * 60_000;
const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);

it('an archive has no month of a log that does not hold, and nothing of it is left half-written', async () => {
  const storage = path.join(await temporaryFolder(), 'platform.sqlite');
  const place = { dialect: 'sqlite', storage } as const;
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
  const time = createManualTime();
  const owner = { kind: 'activity', environmentId: environmentId.current } as const;
  const parts = { store, clock: time.clock, key, random: systemRandom, logger: silentLogger };
  const append = () =>
    store.transaction(async (transaction) => {
      const writer = await openChain(transaction, owner, parts);
      writer.add(activityEntry());
      await writer.write();
    });
  await append();
  await append();
  time.pass(31 * dayMs);
  await append();
  await createSegmentKeeper(parts).settleAll();
  const chain = await findChain(store.db, owner);
  await store.close();
  const thief = await openSqlite(storage);
  thief.execute('drop trigger audit_rows_are_final');
  thief.run(`update audit_rows set body = replace(body, 'orders', 'order5') where chain_id = ? and sequence = 2`, [
    chain?.id ?? 0,
  ]);
  thief.close();
  const folder = await temporaryFolder();
  const logs = await archiveStore({ address: place, platformKey, objects: openFileObjects(folder), clock: time.clock });
  expect(logs.find((log) => log.chain === chain?.chain)?.problem).toMatchObject({ kind: 'hash', sequence: 2 });
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  expect(found.filter((entry) => entry.isFile() && entry.parentPath.includes('activity'))).toEqual([]);
});
