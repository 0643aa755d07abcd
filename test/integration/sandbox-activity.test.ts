import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Activity } from '#contracts/activity';
import { silentLogger } from '#kernel/ports/logger';
import { createHttp } from '#node/http/http-client';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { startSandbox } from '#sandbox/index';
import { readStoredActivities } from '../helpers/stored-activities.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function setUp() {
  const storePath = path.join(await temporaryFolder(), 'store.sqlite');
  const sandbox = await startSandbox({
    store: `sqlite:${storePath}`,
    port: { port: 0, isExact: true },
    clock: systemClock,
    random: systemRandom,
    logger: silentLogger,
  });
  onTestFinished(() => sandbox.stop());
  const http = createHttp({ clock: systemClock, random: systemRandom });
  onTestFinished(() => http.close());
  const clientOf = async (project: string, envSecret: string) => {
    await sandbox.provisionDevelopment({ project, envSecret, user: { name: 'Ada', email: 'ada@example.test' } });
    return createPlatformClient({ serverUrl: sandbox.url, http, credentials: { envSecret } });
  };
  const stored = (environmentId = 1) => readStoredActivities(storePath, environmentId);
  return { sandbox, http, clientOf, stored };
}

function activity(change: Partial<Activity> = {}): Activity {
  return {
    id: systemRandom.uuid(),
    occurredAt: '2026-01-02T03:04:05.678Z',
    type: 'write',
    action: 'update',
    label: 'link customer',
    collection: 'orders',
    recordIds: ['1', 'a|ö'],
    recordCount: 2,
    durationMs: 4,
    source: 'rest',
    user: { id: 7, email: 'ada@example.test', name: 'Ada Lovelace', team: 'Operations', role: 'Operator' },
    renderingId: 3,
    correlationId: 'c',
    status: 'completed',
    ...change,
  };
}

function report(platform: Pick<PlatformClient, 'reportActivities'>, activities: readonly Activity[]): Promise<void> {
  return platform.reportActivities(activities.map((one) => JSON.stringify(one)));
}

describe('activities at the local platform', () => {
  it('are stored as they were sent, once, in each environment', async () => {
    const { clientOf, stored } = await setUp();
    const shop = await clientOf('shop', 'a'.repeat(64));
    const quay = await clientOf('quay', 'b'.repeat(64));
    const first = activity();
    const second = activity({ recordCount: null });
    await report(shop, [first]);
    await report(shop, [{ ...first, status: 'failed' }, second]);
    await report(quay, [first]);
    expect(await stored(1)).toEqual([first, second]);
    expect(await stored(2)).toEqual([first]);
  });

  it('are refused without the secret of an environment', async () => {
    const { sandbox, http } = await setUp();
    const credentials = { envSecret: 'c'.repeat(64) };
    const stranger = createPlatformClient({ serverUrl: sandbox.url, http, credentials });
    await expect(report(stranger, [activity()])).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
  });

  it.each<[what: string, batch: readonly Activity[]]>([
    ['nothing', []],
    ['more than 500', Array.from({ length: 501 }, () => activity())],
    ['an id that is not one', [activity(), activity({ id: '1' })]],
    ['more ids than are kept', [activity({ recordIds: Array.from({ length: 1_001 }, () => '1') })]],
    ['a name too long', [activity({ collection: 'c'.repeat(256) })]],
  ])('are refused altogether with %s among them', async (_what, batch) => {
    const { clientOf, stored } = await setUp();
    const client = await clientOf('shop', 'a'.repeat(64));
    await expect(report(client, batch)).rejects.toMatchObject({ code: 'PLATFORM_REFUSED' });
    expect(await stored(1)).toEqual([]);
  });

  it('fit in a batch of the largest size', async () => {
    const { clientOf, stored } = await setUp();
    const client = await clientOf('shop', 'a'.repeat(64));
    const large = activity({ recordIds: Array.from({ length: 1_000 }, () => 'x'.repeat(512)) });
    await report(client, [large]);
    await report(
      client,
      Array.from({ length: 500 }, () => activity()),
    );
    expect(await stored(1)).toHaveLength(501);
  });
});
