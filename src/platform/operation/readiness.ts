import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Readiness } from '#contracts/health';
import { toCloudError } from '#kernel/errors/cloud-error';
import { migrations } from '../store/migrations/index.ts';
import type { Store } from '../store/store.ts';

/** Whether the platform may be sent requests. */
export interface ReadinessCheck {
  check(): Promise<Readiness>;
  /** From now on it may not. */
  beginStop(): void;
}

/** A probe waits for no longer, and neither does its answer. */
const patienceMs = 2_000;

export function createReadinessCheck(store: Store): ReadinessCheck {
  let isStopping = false;
  const notReady = (reason: string): Readiness => ({ status: 'not-ready', reason });
  return {
    beginStop() {
      isStopping = true;
    },
    async check() {
      if (isStopping) return notReady('The platform is stopping.');
      const ending = new AbortController();
      const silence = setTimeout(patienceMs, undefined, { signal: ending.signal }).catch(() => undefined);
      try {
        const version = await Promise.race([readStoreVersion(store), silence]);
        if (version === undefined) return notReady('The store does not answer.');
        if (version === migrations.length) return { status: 'ready' };
        return notReady(
          `The store has version ${version}, and this process knows ${migrations.length}: install the same version of vendor-cloud everywhere.`,
        );
      } catch (error) {
        // Its message may name machines, and anybody may ask.
        return notReady(`The store cannot be used (${toCloudError(error).code}).`);
      } finally {
        ending.abort();
      }
    },
  };
}

async function readStoreVersion({ db, engine }: Store): Promise<number> {
  if (engine === 'postgres') {
    const { version } = await db.selectFrom('storeVersion').select('version').executeTakeFirstOrThrow();
    return version;
  }
  const { rows } = await sql<{ version: number }>`select user_version as version from pragma_user_version`.execute(db);
  return rows[0]?.version ?? 0;
}
