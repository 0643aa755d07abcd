import { rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyStore } from '#platform/audit/verify-store';
import { moveStore } from '#platform/transfer/move-store';
import { restoreBackup } from '#platform/transfer/restore-backup';
import { randomSeed } from '../../helpers/random-seed.ts';
import { useStoreEngines } from '../../helpers/store-engines.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { AuditedPlatform, dayMs, platformKey } from './tampering/audited-platform.ts';
import { type Draw, drawsOf } from './tampering/mutations.ts';

/** Stores in all. */
const stores = Number(process.env['HEALTHY_STORES'] ?? 2);
/** A store lives for less than a second on a machine with two cores that does nothing else. */
const timeoutMs = Math.max(15 * 60_000, stores * 10_000);
const engines = useStoreEngines();
const progress = () => undefined;

async function outcomesOf(platform: AuditedPlatform): Promise<readonly string[]> {
  const { logs, register } = await verifyStore(platform.place, { platformKey, anchors: platform.kept });
  const verdicts = register ? [...logs, register] : logs;
  return verdicts.map(({ outcome, problem }) => problem?.message ?? outcome);
}

describe.each(engines)('the proof of a healthy store on $engine', ({ newPlace, dropPlace, engine }) => {
  it(
    `holds after backups, restores, moves, retention and erasures, with two processes (seed ${randomSeed})`,
    async () => {
      const folder = await temporaryFolder();
      const draw = drawsOf(randomSeed);
      for (let done = 0; done < Math.ceil(stores / 2); done++) {
        const places: Awaited<ReturnType<typeof newPlace>>[] = [];
        const keptPlace = async () => {
          const place = await newPlace();
          places.push(place);
          return place;
        };
        const platform = new AuditedPlatform(await keptPlace());
        await platform.use((store) => platform.fill(store));
        const history: string[] = [];
        const backup = path.join(folder, `${done}.backup`);
        let isRestored = false;
        for (let steps = 0; steps < 8; steps++) {
          const step = await live(platform, draw, {
            backup,
            newPlace: keptPlace,
            history,
            hasTwo: engine === 'postgres',
          });
          isRestored ||= step === 'restore';
          history.push(step);
          await platform.use((store) => platform.checkpointsOf(store).signAll());
          const expected = isRestored ? ['holds', 'restored'] : ['holds'];
          expect(
            (await outcomesOf(platform)).filter((outcome) => !expected.includes(outcome)),
            history.join(),
          ).toEqual([]);
        }
        await rm(backup, { force: true });
        for (const place of places) await dropPlace(place);
      }
    },
    timeoutMs,
  );

  it('says of a restore what it was, and fails where a restore did not say so', { tags: 'long' }, async () => {
    const file = path.join(await temporaryFolder(), 'platform.backup');
    const platform = new AuditedPlatform(await newPlace());
    await platform.use((store) => platform.fill(store));
    await platform.backUp(file);
    platform.pass(dayMs);
    await platform.use(async (store) => {
      await platform.appendToAll(store, 5, 60);
      await platform.checkpointsOf(store).signAll();
    });
    platform.pass(60_000);
    const silent = await newPlace();
    await restoreBackup({ file, store: silent, progress });
    const unsaid = await verifyStore(silent, { platformKey, anchors: platform.kept });
    expect(unsaid.logs.map(({ problem }) => problem?.kind)).toEqual(Array(5).fill('truncated'));

    await platform.restore(file, await newPlace());
    const said = await verifyStore(platform.place, { platformKey, anchors: platform.kept });
    expect(said.logs.map(({ outcome }) => outcome)).toEqual(Array(5).fill('restored'));
    expect(said.register).toMatchObject({ outcome: 'restored' });
    expect(said.logs[0]?.restored?.size).toBe(said.logs[0]?.last);

    // What is signed after the restore counts again.
    await platform.use(async (store) => {
      await platform.appendToAll(store, 2, 70);
      await platform.checkpointsOf(store).signAll();
    });
    const later = platform.kept;
    await platform.use((store) => store.transaction(({ db }) => db.deleteFrom('auditOutcomes').execute()));
    const { logs } = await verifyStore(platform.place, { platformKey, anchors: later });
    expect(logs.filter(({ outcome }) => outcome === 'broken')).toHaveLength(3);
  });
});

interface Circumstances {
  readonly backup: string;
  readonly newPlace: (typeof engines)[number]['newPlace'];
  readonly history: readonly string[];
  /** Whether two processes use the store at once. */
  readonly hasTwo: boolean;
}

/** One step in the life of a platform; its name. */
async function live(
  platform: AuditedPlatform,
  draw: Draw,
  { backup, newPlace, history, hasTwo }: Circumstances,
): Promise<string> {
  platform.pass(1_000 * (1 + draw(100_000)));
  const hasBackup = history.includes('backup');
  const steps = ['append', 'retention', 'backup', 'move', 'erase', 'cosign', hasBackup ? 'restore' : 'append'];
  const step = steps[draw(steps.length)] ?? 'append';
  if (step === 'append') {
    const append = () => platform.use((store) => platform.appendToAll(store, 1 + draw(4), draw(1_000)));
    await Promise.all(hasTwo ? [append(), append()] : [append()]);
  } else if (step === 'retention') {
    platform.pass(draw(30) * dayMs);
    await platform.use(async (store) => {
      await platform.checkpointsOf(store).signDue();
      platform.pass(2 * dayMs);
      await platform.removeExpired(store, 31);
    });
  } else if (step === 'erase') await platform.use((store) => platform.erase(store, 1 + draw(3)));
  else if (step === 'cosign') await platform.use((store) => platform.cosign(store));
  else if (step === 'backup') await platform.backUp(backup);
  else if (step === 'restore') {
    platform.pass(1_000);
    await platform.restore(backup, await newPlace());
  } else {
    const to = await newPlace();
    await moveStore({ from: platform.place, to, progress });
    platform.place = to;
  }
  return step;
}
