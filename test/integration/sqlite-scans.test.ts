import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlDataSource } from '#runtime/data-sources/create-sql-data-source';
import type { DataSource } from '#runtime/data-sources/interface/data-source';
import type { SqlDataSourceOptions } from '#runtime/data-sources/sql/sql-data-source-options';
import { temporaryDatabase } from '../helpers/temporary-database.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const script = `
  create table events (id integer primary key, kind text not null, note text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000)
    insert into events select i, 'k' || i % 7, 'Note number ' || i from n;
  create table users (id integer primary key, name text);
  insert into users select id, note from events where id <= 1000;
`;

const utc = { timezone: 'UTC' };
const scanOf = (value: string) => ({ field: 'note', operator: 'IContains', value }) as const;
/** 300 million comparisons. */
const endless = 'select count(*) as n from events a, users b where a.note < b.name';

async function openSource(options: SqlDataSourceOptions = {}): Promise<DataSource> {
  const storage = await temporaryDatabase(script);
  const source = await createSqlDataSource(
    { dialect: 'sqlite', storage },
    { liveQueryConnections: 'main', ...options },
  )();
  onTestFinished(() => source.close());
  return source;
}

const getOne = (source: DataSource, id: number) =>
  source.list({ collection: 'users', projection: ['name'], where: { field: 'id', operator: 'Equal', value: id } }, utc);

describe('a scan of a large table', () => {
  it('is answered beside the thread of the agent, which goes on', async () => {
    const source = await openSource();
    const order: string[] = [];
    const scan = source.count('events', scanOf('NUMBER 29999'), utc).then((count) => order.push(`scan ${count}`));
    expect(await getOne(source, 7)).toEqual([{ name: 'Note number 7' }]);
    order.push('read');
    await scan;
    expect(order).toEqual(['read', 'scan 11']);
    expect(source.openConnections()).toBe(3);
  });

  it('is refused at the statement timeout; the next query works', async () => {
    const source = await openSource({ statementTimeoutMs: 1_000, poolSize: 3 });
    await expect(source.nativeQuery?.(endless, {}, utc)).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    expect(await getOne(source, 8)).toEqual([{ name: 'Note number 8' }]);
    expect(await source.count('events', scanOf('number 299999'), utc)).toBe(1);
    expect(source.openConnections()).toBe(3);
  });

  it('is stopped by an abort; the next scan works', async () => {
    const source = await openSource({ poolSize: 3 });
    const abort = new AbortController();
    const scan = source.nativeQuery?.(endless, {}, { ...utc, signal: abort.signal });
    expect(await getOne(source, 9)).toEqual([{ name: 'Note number 9' }]);
    abort.abort();
    await expect(scan).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await source.count('events', scanOf('number 300000'), utc)).toBe(1);
  });

  it('has a reader of its own beside another one', async () => {
    const source = await openSource();
    const abort = new AbortController();
    const long = source.nativeQuery?.(endless, {}, { ...utc, signal: abort.signal });
    expect(await source.count('events', scanOf('number 299999'), utc)).toBe(1);
    expect(source.openConnections()).toBe(4);
    abort.abort();
    await expect(long).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('sees what was committed before it, and nothing of an open transaction', async () => {
    const source = await openSource();
    const where = scanOf('brand new');
    const seen: number[] = [await source.count('events', where, utc)];
    await source.transaction(async (store) => {
      await store.create('events', [{ kind: 'k1', note: 'Brand new 1' }], utc);
      seen.push(await source.count('events', where, utc));
    }, utc);
    seen.push(await source.count('events', where, utc));
    await source.create('events', [{ kind: 'k1', note: 'Brand new 2' }], utc);
    seen.push(await source.count('events', where, utc));
    expect(seen).toEqual([0, 0, 1, 2]);
  });

  it('leaves nothing open after the close, and is refused then', async () => {
    const workers: Worker[] = [];
    const note = (worker: Worker) => workers.push(worker);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const source = await openSource();
    const refused = expect(source.nativeQuery?.(endless, {}, utc)).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
    await source.count('events', scanOf('x'), utc);
    expect(workers.map(({ threadId }) => threadId > 0)).toEqual([true, true]);
    await source.close();
    await refused;
    expect(source.openConnections()).toBe(0);
    // The number of a thread that has ended.
    expect(workers.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});

describe('a process', () => {
  const entry = pathToFileURL(
    path.resolve(import.meta.dirname, '../../src/runtime/data-sources/create-sql-data-source.ts'),
  ).href;
  const programOn = (storage: string, report: string) => `
    const { createSqlDataSource } = await import('${entry}');
    const source = await createSqlDataSource(${JSON.stringify({ dialect: 'sqlite', storage })})();
    const count = await source.count('events', ${JSON.stringify(scanOf('number 1000'))}, { timezone: 'UTC' });
    ${report}
  `;
  const run = async (...words: string[]) => {
    const { stdout, stderr } = await execa(process.execPath, ['--conditions=vendor-source', ...words]);
    return [stdout, stderr];
  };

  it('ends by itself after a scan, without a close', async () => {
    const file = path.join(await temporaryFolder(), 'scan.mjs');
    await writeFile(file, programOn(await temporaryDatabase(script), 'console.log(count, source.openConnections());'));
    expect(await run(file)).toEqual(['111 3', '']);
  });

  it('scans from an inline script, whose flags no thread takes', async () => {
    const program = programOn(await temporaryDatabase(script), 'console.log(count);');
    expect(await run('--input-type=module', '--eval', program)).toEqual(['111', '']);
  });

  it('scans from within a thread of its own', async () => {
    const folder = await temporaryFolder();
    const report = "const { parentPort } = await import('node:worker_threads'); parentPort.postMessage(count);";
    await writeFile(path.join(folder, 'inner.mjs'), programOn(await temporaryDatabase(script), report));
    await writeFile(
      path.join(folder, 'outer.mjs'),
      `import { Worker } from 'node:worker_threads';
      new Worker(new URL('./inner.mjs', import.meta.url)).on('message', (count) => console.log(count));`,
    );
    expect(await run(path.join(folder, 'outer.mjs'))).toEqual(['111', '']);
  });
});
