import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { verifierOf } from '#contracts/audit/signing';
import { searchArchivedLogs } from '#flows/audit/search-archived-logs';
import { verifyArchivedLogs } from '#flows/audit/verify-archived-logs';
import { archiveLogs } from '#flows/platform/archive-logs';
import { erasePerson } from '#flows/platform/erase-person';
import { storePlace } from '#flows/platform/store-place';
import { silentLogger } from '#kernel/ports/logger';
import { systemRandom } from '#node/system/system-random';
import { openArchive } from '#platform/archive/open-archive';
import { openChain } from '#platform/audit/chain-writer';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';
import { createSegmentKeeper } from '#platform/audit/segments';
import { activityEntry, auditedEnvironment } from '../contract/audit/audited-environment.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { createManualTime } from '../helpers/manual-time.ts';
import { startS3Server } from '../helpers/s3-server.ts';
import { createCertificateAuthority } from '../helpers/server-certificates.ts';
import { openTestStore } from '../helpers/store-engines.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const platformKey = 'ab'.repeat(32);
const key = deriveCheckpointKey(platformKey);
const publicKey = verifierOf(key).verifier;

/** A store with a month that is over, and what commands are called with beside it. */
async function start() {
  const folder = await temporaryFolder();
  const storage = path.join(folder, 'platform.sqlite');
  const { store, environmentId } = await auditedEnvironment(await openTestStore({ dialect: 'sqlite', storage }));
  const time = createManualTime();
  const parts = { store, clock: time.clock, key, random: systemRandom, logger: silentLogger };
  const append = async (recordIds: readonly string[]) => {
    await store.transaction(async (transaction) => {
      const owner = { kind: 'activity', environmentId: environmentId.current } as const;
      const writer = await openChain(transaction, owner, parts);
      writer.add(activityEntry({ recordIds: [...recordIds] }));
      await writer.write();
    });
    await createSegmentKeeper(parts).settleAll();
  };
  await append(['7']);
  time.pass(31 * 24 * 60 * 60_000);
  await append(['8']);
  await writeFile(path.join(folder, 'platform.key'), platformKey);
  const context = flowContext(folder);
  const place = storePlace(context, `sqlite:${storage}`, false, 'SERVICE_PLATFORM_STORE');
  return {
    context,
    closeStore: () => store.close(),
    erase: (archive: string) =>
      erasePerson(context, {
        ...{ store: place, email: 'ada@example.test', archive, reference: undefined, by: 'officer', isDryRun: true },
        confirm: async () => false,
      }),
    archive: (to: string) => archiveLogs(context, { store: place, to }),
    verify: (archive: string) => verifyArchivedLogs(context, { archive, keys: [publicKey], anchors: [] }),
    search: (archive: string, record: string) =>
      searchArchivedLogs(context, { folder, archive, isAdmin: false, limit: 10, record }),
  };
}

describe('an archive', () => {
  it('is written, verified and searched by its address', async () => {
    const { archive, verify, search } = await start();
    const { logs } = await archive('file:archive');
    expect(logs.flatMap(({ months }) => months)).toContainEqual({ month: '2026-01', rows: 1, state: 'archived' });
    expect(await verify('file:archive')).toMatchObject({ outcome: 'holds' });
    expect(await search('file:archive', '7')).toMatchObject({ kind: 'activity', logs: [{ recordIds: ['7'] }] });
    expect(await search('file:archive', '8')).toMatchObject({ logs: [], hasMore: false });
  });

  it.each([
    ...['ftp://host/archive', 's3:///folder', 's3://bucket/folder?colour=red', 'file:', 's3://bucket/folder?region='],
    ...['s3://bucket:9000/folder', 's3://bucket/folder#part', 's3://bucket/folder?endpoint='],
    ...['s3://bucket/folder?endpoint=localhost:9000', 's3://bucket/folder?endpoint=ftp://host'],
  ])('has another address than %s', async (address) => {
    const { archive } = await start();
    await expect(archive(address)).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  });

  it.each(['s3://key:hidden-secret@bucket/folder', 's3://bucket/folder?endpoint=https://key:hidden-secret@host'])(
    'takes no secret from its address %s',
    async (address) => {
      const { archive } = await start();
      const error = await archive(address).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'USAGE_INVALID' });
      expect(JSON.stringify(error)).not.toContain('hidden-secret');
    },
  );

  it('is in a bucket, and waits for one that is busy or sends half a file', { tags: 'long' }, async () => {
    const { archive, verify, search } = await start();
    const server = await startS3Server('logs', { checksSignatures: false });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const address = `s3://logs/audit?endpoint=${encodeURIComponent(server.origin)}`;
    server.fail('PUT', 503);
    await expect(archive(address)).rejects.toMatchObject({ code: 'ARCHIVE_STORE_UNAVAILABLE' });
    expect(await server.keys()).toEqual([]);
    server.fail('PUT', undefined);
    await archive(address);
    expect((await server.keys()).filter((each) => each.startsWith('audit/manifests/'))).not.toEqual([]);
    expect(await verify(address)).toMatchObject({ outcome: 'holds' });
    expect(await search(address, '7')).toMatchObject({ logs: [{ recordIds: ['7'] }] });
    server.cutReads(true);
    await expect(verify(address)).rejects.toMatchObject({ code: 'ARCHIVE_STORE_UNAVAILABLE' });
    server.cutReads(false);
    server.fail('GET', 403);
    await expect(verify(address)).rejects.toMatchObject({ code: 'ARCHIVE_STORE_REFUSED' });
  });

  it('says what is missing to reach a bucket', async () => {
    for (const name of [
      'AWS_REGION',
      'AWS_DEFAULT_REGION',
      'AWS_PROFILE',
      'AWS_ACCESS_KEY_ID',
      'AWS_SECRET_ACCESS_KEY',
    ]) {
      vi.stubEnv(name, undefined);
    }
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
    const { archive } = await start();
    await expect(archive('s3://logs/audit')).rejects.toMatchObject({
      code: 'ARCHIVE_STORE_REFUSED',
      nextSteps: [expect.stringContaining('?region=')],
    });
    await expect(archive('s3://logs/audit?endpoint=http://127.0.0.1:9')).rejects.toMatchObject({
      code: 'ARCHIVE_STORE_REFUSED',
      nextSteps: [expect.stringContaining('AWS_ACCESS_KEY_ID')],
    });
  });

  it('names the right that the credentials lack', async () => {
    const server = await startS3Server('logs', { checksSignatures: false });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const address = `s3://logs/audit?endpoint=${encodeURIComponent(server.origin)}`;
    const objects = await openArchive(address, { workingFolder: '/', variables: {} });
    const write = async () => (await objects.create('rows/a')).complete();
    for (const [method, ask, what, right] of [
      ['GET', () => objects.list('rows/'), 'to list its files', 's3:ListBucket'],
      ['GET', () => objects.readText('rows/a'), 'to read rows/a', 's3:GetObject'],
      ['PUT', write, 'to write rows/a', 's3:PutObject'],
      ['DELETE', () => objects.remove('rows/a'), 'to remove rows/a', 's3:DeleteObject'],
    ] as const) {
      server.fail(method, 403);
      await expect(ask()).rejects.toMatchObject({
        code: 'ARCHIVE_STORE_REFUSED',
        message: `The bucket of the archive refuses ${what} (AccessDenied).`,
        nextSteps: [`Give the credentials the right ${right} for this bucket.`],
      });
      server.fail(method, undefined);
    }
  });

  it('says why a bucket cannot be reached', async () => {
    const certificate = await (await createCertificateAuthority()).issue(['IP:127.0.0.1']);
    const options = {
      cert: await readFile(certificate.certificatePath),
      key: await readFile(certificate.keyPath),
    };
    const server = createServer(options).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const ask = async () =>
      (
        await openArchive(`s3://logs/audit?endpoint=https://127.0.0.1:${port}`, { workingFolder: '/', variables: {} })
      ).list('');
    await expect(ask()).rejects.toMatchObject({
      code: 'ARCHIVE_STORE_UNAVAILABLE',
      message: expect.stringContaining('its certificate is signed by an authority this machine does not trust'),
      nextSteps: [expect.stringContaining('NODE_EXTRA_CA_CERTS')],
    });
    server.close();
    await once(server, 'close');
    await expect(ask()).rejects.toMatchObject({
      code: 'ARCHIVE_STORE_UNAVAILABLE',
      message: expect.stringContaining('nothing listens there (ECONNREFUSED)'),
      nextSteps: ['Check the endpoint of the bucket, and that the server runs.'],
    });
  });

  it('has no file where a console of the server has made a folder', async () => {
    const { archive, verify } = await start();
    const server = await startS3Server('logs', { checksSignatures: false });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const address = `s3://logs/audit?endpoint=${encodeURIComponent(server.origin)}`;
    await archive(address);
    const objects = await openArchive(address, { workingFolder: '/', variables: {} });
    for (const folder of ['rows/', 'manifests/']) await (await objects.create(folder)).complete();
    expect(await server.keys()).toContain('audit/manifests/');
    expect(await verify(address)).toMatchObject({ outcome: 'holds' });
  });

  it('has a file of many parts as a whole, or not at all', { tags: 'long' }, async () => {
    const server = await startS3Server('logs', { checksSignatures: false });
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const address = `s3://logs/audit?endpoint=${encodeURIComponent(server.origin)}`;
    const objects = await openArchive(address, { workingFolder: '/', variables: {} });
    const bytes = randomBytes(20_000_000);
    const write = async () => {
      const out = await objects.create('rows/large');
      for (let at = 0; at < bytes.length; at += 3_000_000) await out.write(bytes.subarray(at, at + 3_000_000));
      return out;
    };
    await write();
    expect(await objects.list('rows/')).toEqual([]);
    await (await write()).complete();
    expect(await objects.list('rows/')).toEqual([{ path: 'rows/large', bytes: bytes.length }]);
    expect(Buffer.from(await objects.read('rows/large', 7_999_999, 17_000_001))).toEqual(
      bytes.subarray(7_999_999, 17_000_001),
    );
  });

  it.each(['rows', 'records', 'values'])(
    'without a file of %s says which one is missing, and what to do',
    async (table) => {
      const { archive, search, verify, context } = await start();
      const server = await startS3Server('logs', { checksSignatures: false });
      vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
      for (const address of ['file:archive', `s3://logs/audit?endpoint=${encodeURIComponent(server.origin)}`]) {
        await archive(address);
        const objects = await openArchive(address, context);
        const [file] = await objects.list(`${table}/`);
        await objects.remove(file?.path ?? '');
        const missing = {
          code: 'AUDIT_ARCHIVE_BROKEN',
          message: `The file ${file?.path} is missing.`,
          nextSteps: expect.arrayContaining([expect.stringContaining('from an earlier copy')]),
        };
        await expect(search(address, '7')).rejects.toMatchObject(missing);
        await expect(verify(address)).rejects.toMatchObject(missing);
      }
    },
  );

  it('is called broken by an erasure too, where a manifest cannot be read', async () => {
    const { archive, erase, context, closeStore } = await start();
    await archive('file:archive');
    await closeStore();
    const objects = await openArchive('file:archive', context);
    const [manifest] = await objects.list('manifests/');
    const out = await objects.create(manifest?.path ?? '');
    await out.write(Buffer.from('{}'));
    await out.complete();
    await expect(erase('file:archive')).rejects.toMatchObject({ code: 'AUDIT_ARCHIVE_BROKEN' });
  });

  it('needs the key of the platform, and the public one', async () => {
    const { archive } = await start();
    await archive('file:archive');
    const context = flowContext(await temporaryFolder());
    const none = storePlace(context, 'sqlite:nowhere.sqlite', false, 'SERVICE_PLATFORM_STORE');
    await expect(archiveLogs(context, { store: none, to: 'file:archive' })).rejects.toMatchObject({
      code: 'PLATFORM_KEY_WRONG',
    });
    await expect(
      verifyArchivedLogs(context, { archive: 'file:nothing', keys: [publicKey], anchors: [] }),
    ).rejects.toMatchObject({
      code: 'AUDIT_LOG_UNVERIFIABLE',
      nextSteps: [expect.stringContaining('let `audit archive` run to its end')],
    });
  });
});
