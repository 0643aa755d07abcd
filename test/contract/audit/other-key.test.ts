import { describe, expect, it } from 'vitest';
import type { SqlConnectionParams } from '#node/database/sql-connection-params';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { openChain } from '#platform/audit/chain-writer';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { openStore } from '#platform/store/open-store';
import { openTestStore, useStoreEngines } from '../../helpers/store-engines.ts';
import { startTeamPlatform } from '../../helpers/team-server.ts';
import { activityEntry, auditedEnvironment } from './audited-environment.ts';

const right = 'ab'.repeat(32);
const wrong = 'cd'.repeat(32);
const refused = { code: 'PLATFORM_KEY_WRONG' };
const clock = systemClock;
const random = systemRandom;

/** Sign the logs of a store as a platform with that key does. */
async function sign(place: SqlConnectionParams, platformKey: string): Promise<void> {
  const store = await openStore(place);
  const key = deriveCheckpointKey(platformKey);
  await createCheckpoints({ store, clock, key, keep: async () => undefined }).signAll();
  await store.close();
}

/** Logs with one more act, which nobody has signed. */
async function act(place: SqlConnectionParams, environmentId: number): Promise<void> {
  const store = await openStore(place);
  await store.transaction(async (transaction) => {
    const writer = await openChain(transaction, { kind: 'activity', environmentId }, { clock, random });
    writer.add(activityEntry({}));
    await writer.write();
  });
  await store.close();
}

async function signedStore(place: SqlConnectionParams): Promise<number> {
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place), clock);
  await store.close();
  await act(place, environmentId.current);
  await sign(place, right);
  return environmentId.current;
}

describe.each(useStoreEngines())('a store on $engine whose logs are signed', ({ newPlace }) => {
  it('is served with the key that has signed them, and not with another one', async () => {
    const store = await newPlace();
    const environmentId = await signedStore(store);
    await expect(startTeamPlatform({}, { store, platformKey: wrong })).rejects.toMatchObject(refused);
    const platform = await startTeamPlatform({}, { store, platformKey: right });
    expect((await fetch(`${platform.url}/health`)).status).toBe(200);
    await platform.stop();
    // A process of an older version may have signed with a wrong key. The right one goes on.
    await act(store, environmentId);
    await sign(store, wrong);
    await (await startTeamPlatform({}, { store, platformKey: right })).stop();
  });
});
