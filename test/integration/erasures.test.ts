import path from 'node:path';
import { expect, it } from 'vitest';
import { erasureSchema } from '#contracts/public-api/erasures';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { erasePersonFromStore } from '#platform/audit/erase-person';
import { activity, startAuditApi } from '../helpers/audit-api.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it('the list of erasures says over HTTP who erased, when and why, page by page', async () => {
  const store = `sqlite:${path.join(await temporaryFolder(), 'store.sqlite')}`;
  const before = await startAuditApi({ store });
  const person = { id: 70, email: 'grace@example.test', name: 'Grace', team: 'Operations', role: 'Operator' };
  for (let from = 0; from < 600; from += 300) {
    await before.report(Array.from({ length: 300 }, () => activity({ user: person })));
  }
  await before.sandbox.stop();
  await erasePersonFromStore(store, {
    ...{ email: person.email, platformKey: 'ab'.repeat(32), reference: 'GDPR-17', by: 'privacy officer' },
    ...{ clock: systemClock, random: systemRandom, confirm: async () => true },
  });
  const { json } = await startAuditApi({ store });
  const log = '/environment/development/activity-logs/erasures';
  const { body } = await json(`${log}?limit=1`);
  expect(body).toMatchObject({
    hasMore: true,
    data: [{ by: 'privacy officer', reference: 'GDPR-17', rows: 100, erased: { user: '501-600' } }],
    parameters: { projectName: 'shop', environmentName: 'development', limit: 1 },
  });
  const next = await json(`${log}?limit=1&cursor=${body['nextCursor']}`);
  expect(next.body).toMatchObject({ hasMore: false, data: [{ rows: 500, erased: { user: '1-500' } }] });
  for (const erasure of next.body['data'] as readonly unknown[]) erasureSchema.parse(erasure);
  expect((await json('/admin-logs/erasures')).body).toMatchObject({ hasMore: false, data: [] });
  expect((await json(`${log}?userId=7`)).status).toBe(400);
});
