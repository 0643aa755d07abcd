import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createScanReaders, type ScanReadersInput } from '#runtime/data-sources/sqlite/scan-thread-pool';
import { temporaryDatabase } from '../../../../helpers/temporary-database.ts';
import { temporaryFolder } from '../../../../helpers/temporary-folder.ts';

const script = `
  create table numbers (n integer primary key);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) insert into numbers select i from n;
`;
const quick = 'select count(*) as n from numbers where n < 3';
/** Four hundred million steps. */
const slow = 'select count(*) as n from numbers a, numbers b where a.n + b.n < 0';

async function openReaders(options: Partial<ScanReadersInput> = {}) {
  const path = await temporaryDatabase(script);
  const readers = createScanReaders({ path, size: 2, statementTimeoutMs: 60_000, ...options });
  onTestFinished(() => readers.close());
  return readers;
}

/** A module for the thread, instead of the one that reads. */
async function workerModule(code: string): Promise<URL> {
  const file = path.join(await temporaryFolder(), 'worker.mjs');
  await writeFile(file, `import { parentPort } from 'node:worker_threads';\n${code}`);
  return pathToFileURL(file);
}

describe('scan readers', () => {
  it('start no thread before there is something to read, and use it again', async () => {
    const readers = await openReaders();
    expect(readers.count()).toBe(0);
    expect(await readers.all(quick, [])).toEqual([{ n: 2 }]);
    expect(await readers.all(quick, [])).toEqual([{ n: 2 }]);
    expect(readers.count()).toBe(1);
  });

  it('give integers, texts and bytes as the connection of the agent does', async () => {
    const readers = await openReaders();
    const sql = "select 9007199254740993 as big, 1 as n, 'é' as text, x'00ff' as bytes, null as missing";
    expect(await readers.all(sql, [])).toEqual([
      { big: 9007199254740993n, n: 1, text: 'é', bytes: Buffer.from([0, 255]), missing: null },
    ]);
  });

  it('stop at the deadline, and read on', async () => {
    const readers = await openReaders({ size: 1, statementTimeoutMs: 700 });
    await expect(readers.all(slow, [])).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    expect(await readers.all(quick, [])).toEqual([{ n: 2 }]);
    expect(readers.count()).toBe(1);
  });

  it('take as long as they do, without a statement timeout', async () => {
    const readers = await openReaders({ statementTimeoutMs: 0 });
    const counted = 'select count(*) as n from numbers a, numbers b where a.n < 100 and a.n + b.n < 0';
    expect(await readers.all(counted, [])).toEqual([{ n: 0 }]);
  });

  it('stop on an abort, and read on', async () => {
    const readers = await openReaders({ size: 1 });
    await readers.all(quick, []);
    const abort = new AbortController();
    const scan = readers.all(slow, [], abort.signal);
    abort.abort();
    await expect(scan).rejects.toMatchObject({ code: 'INTERRUPTED' });
    expect(await readers.all(quick, [])).toEqual([{ n: 2 }]);
    await expect(readers.all(quick, [], abort.signal)).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('read beside one another', async () => {
    const readers = await openReaders();
    const abort = new AbortController();
    const scan = readers.all(slow, [], abort.signal);
    expect(await readers.all(quick, [])).toEqual([{ n: 2 }]);
    expect(readers.count()).toBe(2);
    abort.abort();
    await expect(scan).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });

  it('answer at the deadline where nothing can stop the statement', async () => {
    const workerUrl = await workerModule('parentPort.on("message", () => { for (;;); });');
    const readers = await openReaders({ size: 1, statementTimeoutMs: 300, workerUrl });
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_TIMEOUT' });
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_BUSY' });
    expect(readers.count()).toBe(1);
  });

  it.each([
    ['exits', 'process.exit(0);'],
    ['throws', 'throw new Error("crashed");'],
  ])('refuse the statement of a thread that %s, and start another one for the next', async (_how, crash) => {
    const workerUrl = await workerModule(`
      import { existsSync, writeFileSync } from 'node:fs';
      const mark = new URL('./crashed', import.meta.url);
      parentPort.on('message', () => {
        if (existsSync(mark)) return parentPort.postMessage({ kind: 'rows', rows: [{ n: 1 }], hasBinary: false });
        writeFileSync(mark, '');
        ${crash}
      });`);
    const readers = await openReaders({ size: 1, workerUrl });
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
    expect(readers.count()).toBe(0);
    expect(await readers.all(quick, [])).toEqual([{ n: 1 }]);
  });

  it('refuse a statement when no thread can start', async () => {
    const readers = await openReaders({ workerUrl: await workerModule('await import("no-such-package");') });
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });

  it('pass on what the database says against a statement', async () => {
    const readers = await openReaders();
    await expect(readers.all('select absent from numbers', [])).rejects.toMatchObject({
      code: 'DATABASE_QUERY_FAILED',
      safeDetails: { sqliteCode: 'SQLITE_ERROR' },
      cause: { message: 'no such column: absent' },
    });
  });

  it('say that the file has gone', async () => {
    const readers = await openReaders({ path: '/nowhere/data.sqlite' });
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_NOT_FOUND' });
  });

  it('end with everything that runs or waits', async () => {
    const readers = await openReaders({ size: 1 });
    const asked = [slow, slow, quick].map((sql) => readers.all(sql, []).catch((error: { code: string }) => error.code));
    await readers.close();
    expect(await Promise.all(asked)).toEqual(['DATABASE_UNREACHABLE', 'DATABASE_UNREACHABLE', 'DATABASE_UNREACHABLE']);
    expect(readers.count()).toBe(0);
    await expect(readers.all(quick, [])).rejects.toMatchObject({ code: 'DATABASE_UNREACHABLE' });
  });
});
