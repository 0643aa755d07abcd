import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openStore } from '#platform/store/open-store';
import { usePostgresServer } from '../../helpers/postgres-server.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';

const program = fileURLToPath(new URL('store-writer.ts', import.meta.url));
const server = usePostgresServer();
const canLimitFiles = process.platform === 'linux';
const reason = canLimitFiles ? '' : ' (skipped: only Linux refuses large files this way)';

/** Runs the program until it has acknowledged this many transactions, then kills it. What it acknowledged to its end. */
async function writeAndKill(address: string, transactions: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, ['--conditions=vendor-source', program, address], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const acknowledged: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(line);
    if (acknowledged.length === transactions) child.kill('SIGKILL');
  }
  return acknowledged;
}

/** The projects of a store, and how many of them lack the role that was made in the same transaction. */
async function readProjects(address: string) {
  const store = await openStore(address);
  const rows = await store.db
    .selectFrom('projects')
    .leftJoin('roles', 'roles.projectId', 'projects.id')
    .select(['projects.name', 'roles.id as roleId'])
    .execute();
  await store.close();
  return { names: new Set(rows.map(({ name }) => name)), halves: rows.filter(({ roleId }) => roleId === null).length };
}

async function expectNothingLost(address: string): Promise<void> {
  const acknowledged: string[] = [];
  for (const transactions of [50, 333, 1_000]) {
    acknowledged.push(...(await writeAndKill(address, transactions)));
    const { names, halves } = await readProjects(address);
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    expect(halves).toBe(0);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(1_383);
}

it('kill -9 loses nothing that was acknowledged and leaves nothing half-done on SQLite', async () => {
  await expectNothingLost(`sqlite:${path.join(await temporaryFolder(), 'platform.sqlite')}`);
});

it('kill -9 loses nothing that was acknowledged and leaves nothing half-done on PostgreSQL', async () => {
  const { host, port, user, password = '' } = server.parameters();
  const database = await server.createDatabase();
  await expectNothingLost(`postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`);
});

it.skipIf(!canLimitFiles)(
  `a disk that takes no more is reported with the file and what to do, and nothing acknowledged is lost${reason}`,
  async () => {
    const file = path.join(await temporaryFolder(), 'platform.sqlite');
    // The system refuses to make a file larger than this many blocks, as a quota does.
    const limited = 'ulimit -f 4000; exec "$0" --conditions=vendor-source "$1" "sqlite:$2"';
    const child = spawn('bash', ['-c', limited, process.execPath, program, file], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [acknowledged, refusal] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    expect(JSON.parse(refusal)).toMatchObject({
      code: 'PLATFORM_STORE_UNAVAILABLE',
      message: expect.stringContaining(file),
      nextSteps: [expect.stringMatching(/disk|space/)],
    });
    const names = acknowledged.split('\n').filter((line) => line !== '');
    const kept = await readProjects(`sqlite:${file}`);
    expect(names.length).toBeGreaterThan(100);
    expect(names.filter((name) => !kept.names.has(name))).toEqual([]);
    expect(kept.halves).toBe(0);
  },
);
