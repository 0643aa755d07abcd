import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { silentLogger } from '#kernel/ports/logger';
import { openFileObjects } from '#node/objects/file-objects';
import { systemClock } from '#node/system/system-clock';
import { systemRandom } from '#node/system/system-random';
import { searchArchive } from '#platform/archive/search-archive';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { createSegmentKeeper } from '#platform/audit/segments';
import { openStore } from '#platform/store/open-store';
import { provisionIn } from '../../test/helpers/admin-log.ts';
import type { Bench } from '../bench-report.ts';
import { percentile, rounded } from '../statistics.ts';
import type { ArchiveReport } from './archive-process.ts';
import { registerFilled } from './audit.ts';
import { drawn } from './entries.ts';
import { fillSqlite } from './fill-sqlite.ts';

const platformKey = 'ab'.repeat(32);
const searches = 20;

/**
 * The archive of a log on SQLite with 10 million rows (`--quick`: one million; `ARCHIVE_ROWS` sets another number): how quickly it is written
 * and verified, in how much memory, and how long a search by record takes.
 */
export const benchArchive: Bench = async ({ isQuick }) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'vendor-cloud-archive-'));
  try {
    const file = path.join(folder, 'platform.sqlite');
    await fill(file, Number(process.env['ARCHIVE_ROWS'] ?? (isQuick ? 1_000_000 : 10_000_000)));
    const archive = path.join(folder, 'archive');
    const written = await inProcess('archive', archive, `sqlite:${file}`);
    const verified = await inProcess('verify', archive);
    if (verified.rows < written.rows) throw new Error('The archive has fewer rows than the store.');
    const figures = {
      rows: written.rows,
      archiveRowsPerSecond: written.rows / written.seconds,
      archiveRowsPerCpuSecond: written.rows / written.cpuSeconds,
      archiveRssMb: written.rssMb,
      verifyRowsPerSecond: verified.rows / verified.seconds,
      verifyRssMb: verified.rssMb,
      bytesPerRow: (await bytesOf(archive)) / written.rows,
      ...(await measureSearch(archive)),
    };
    return {
      name: 'archive',
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)])),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A store whose months are signed. */
async function fill(file: string, count: number): Promise<void> {
  const store = await openStore(`sqlite:${file}`);
  await provisionIn(store, {
    ...{ project: 'shop', secretHash: 'none' },
    user: { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.test' },
  });
  await store.close();
  await fillSqlite(file, 1, 1, count);
  await registerFilled(`sqlite:${file}`);
  const filled = await openStore(`sqlite:${file}`);
  const parts = { store: filled, clock: systemClock, random: systemRandom, logger: silentLogger };
  await createSegmentKeeper({ ...parts, key: deriveCheckpointKey(platformKey) }).settleAll();
  await filled.close();
}

async function inProcess(work: 'archive' | 'verify', archive: string, store = ''): Promise<ArchiveReport> {
  const child = fork(new URL('archive-process.ts', import.meta.url), [work, platformKey, archive, store], {
    execArgv: ['--conditions=vendor-source'],
  });
  const [told] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [ArchiveReport | number];
  if (typeof told === 'number') throw new Error(`The process ended with ${told}.`);
  return told;
}

async function bytesOf(archive: string): Promise<number> {
  return (await openFileObjects(archive).list('')).reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Every search opens the archive again, as a command does. */
async function measureSearch(archive: string) {
  const samples: number[] = [];
  let [read, groups] = [0, 0];
  for (let index = 0; index < searches; index++) {
    const recordId = String(Math.floor(drawn(index) * 200_000));
    const begun = performance.now();
    const found = await searchArchive(openFileObjects(archive), {
      ...{ project: 'shop', environment: 'development', limit: 20, filter: { recordId } },
    });
    samples.push(performance.now() - begun);
    if (found.rows.some(({ entry }) => entry.object !== 'activityLog' || !entry.recordIds.includes(recordId))) {
      throw new Error(`A search for ${recordId} found something else.`);
    }
    read += found.groupsRead;
    groups += found.groups;
  }
  return { searchP95Ms: percentile(samples, 95), searchGroupsRead: read / searches, searchGroups: groups / searches };
}
