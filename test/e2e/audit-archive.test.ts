import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { silentLogger } from '#kernel/ports/logger';
import { systemRandom } from '#node/system/system-random';
import { openChain } from '#platform/audit/chain-writer';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { createSegmentKeeper } from '#platform/audit/segments';
import { activityEntry, auditedEnvironment } from '../contract/audit/audited-environment.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { runCli } from '../helpers/run-cli.ts';
import { openTestStore } from '../helpers/store-engines.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);

/** The folder of a store with a month that is over. */
async function makeStore(): Promise<string> {
  const folder = await temporaryFolder();
  const place = { dialect: 'sqlite', storage: path.join(folder, 'platform.sqlite') } as const;
  const { store, environmentId } = await auditedEnvironment(await openTestStore(place));
  const time = createManualTime();
  const parts = { store, clock: time.clock, key, random: systemRandom, logger: silentLogger };
  for (const recordId of ['7', '8']) {
    await store.transaction(async (transaction) => {
      const owner = { kind: 'activity', environmentId: environmentId.current } as const;
      const writer = await openChain(transaction, owner, parts);
      writer.add(activityEntry({ recordIds: [recordId] }));
      await writer.write();
    });
    time.pass(31 * 24 * 60 * 60_000);
  }
  await createSegmentKeeper(parts).settleAll();
  await store.close();
  await writeFile(path.join(folder, 'platform.key'), platformKey);
  return folder;
}

it('vendor-cloud audit archive writes an archive, which audit verify and audit search read', async () => {
  const cwd = await makeStore();
  const archived = await runCli(
    ['audit', 'archive', '--to', 'file:archive', '--store', 'sqlite:platform.sqlite', '--json'],
    { cwd },
  );
  expect(archived).toMatchObject({ exitCode: 0 });
  expect(archived.stdout).toContain('{"month":"2026-01","rows":1,"state":"archived"}');
  const { verifier } = verifierOf(key);
  const verified = await runCli(['audit', 'verify', '--archive', 'file:archive', '--key', verifier], { cwd });
  expect(verified).toMatchObject({ exitCode: 0 });
  expect(verified.stdout).toContain('holds');
  expect(await runCli(['audit', 'verify', '--archive', 'file:archive'], { cwd })).toMatchObject({ exitCode: 5 });
  const search = ['audit', 'search', '--archive', 'file:archive', '--record', '7'];
  const found = await runCli([...search, '--json'], { cwd });
  expect(found).toMatchObject({ exitCode: 0 });
  expect(found.stdout).toContain('"recordIds":["7"]');
  expect((await runCli([...search, '--project-name', 'nobody'], { cwd })).stderr).toContain('no such log');
  expect(await runCli(['audit', 'archive', '--to', 'ftp://host/archive'], { cwd })).toMatchObject({ exitCode: 2 });
});
