import { describe, expect, it } from 'vitest';
import { systemRandom } from '#node/system/system-random';
import { createActivityService } from '#platform/activity/activity-service';
import { findChain } from '#platform/audit/audit-chains';
import { createCheckpoints, deriveCheckpointKey } from '#platform/audit/checkpoints';
import { readLog } from '#platform/audit/read-log';
import type { EnvironmentRecord } from '#platform/identity/identity-repository';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';
import { activity } from '../../helpers/audit-api.ts';
import { createManualTime } from '../../helpers/manual-time.ts';
import { sealedValues } from '../../helpers/sealed-values.ts';
import { useStoreEngines } from '../../helpers/store-engines.ts';
import { auditedEnvironment } from './audited-environment.ts';

const hourMs = 60 * 60_000;
const key = deriveCheckpointKey('ab'.repeat(32));

describe.each(useStoreEngines())('the audit log after a restart on $engine', ({ newPlace }) => {
  /** A log; `restart` closes its store and opens it again. */
  async function start() {
    const place = await newPlace();
    let store: Store = await openStore(place);
    const { environmentId } = await auditedEnvironment(store);
    const environment = { id: environmentId.current, name: 'Development' } as EnvironmentRecord;
    const { clock, pass } = createManualTime();
    const owner = { kind: 'activity', environmentId: environment.id } as const;
    const notes: string[] = [];
    const chain = async () => {
      const found = await findChain(store.db, owner);
      if (!found) throw new Error('There is no chain.');
      return found;
    };
    return {
      pass,
      close: () => store.close(),
      async restart() {
        await store.close();
        store = await openStore(place);
      },
      report: (...activities: readonly ReturnType<typeof activity>[]) =>
        createActivityService(store, {
          clock,
          random: systemRandom,
          news: { tell: () => undefined },
          sealed: sealedValues,
        }).record(environment, activities),
      /** The status of each act, and how many rows the chain has. */
      async acts() {
        const { headSequence } = await chain();
        const { rows } = await readLog(store.db, await chain(), {}, { limit: 50, order: 'asc' });
        return { rows: headSequence, statuses: rows.map(({ status }) => status) };
      },
      async signDue() {
        const { chain: name } = await chain();
        const keep = async (note: string) => void notes.push(note);
        await createCheckpoints({ store, clock, key, keep }).signDue();
        return notes.filter((note) => note.includes(name)).length;
      },
    };
  }

  it('leaves one pending act whose process died, and takes its late outcome once', async () => {
    const log = await start();
    const pending = activity({ status: 'pending', durationMs: null });
    const completed = { ...pending, status: 'completed' as const };
    const failed = { ...pending, status: 'failed' as const };
    try {
      await log.report(pending);
      await log.report(pending);
      await log.restart();
      await log.report(pending);
      expect(await log.acts()).toEqual({ rows: 1, statuses: ['pending'] });
      log.pass(30 * 24 * hourMs);
      await Promise.all([log.report(completed), log.report(completed)]);
      const ended = { rows: 3, statuses: ['completed'] };
      expect(await log.acts()).toEqual(ended);
      await log.restart();
      await log.report(failed);
      await log.report(pending, completed);
      expect(await log.acts()).toEqual(ended);
    } finally {
      await log.close();
    }
  });

  it('is signed every hour of silence, before and after the restart', async () => {
    const log = await start();
    try {
      await log.report(activity());
      expect(await log.signDue()).toBe(1);
      log.pass(hourMs);
      expect(await log.signDue()).toBe(2);
      await log.restart();
      expect(await log.signDue()).toBe(2);
      log.pass(hourMs);
      expect(await log.signDue()).toBe(3);
    } finally {
      await log.close();
    }
  });
});
