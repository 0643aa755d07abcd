import { request as httpRequest } from 'node:http';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { createSqlDataSource } from '#runtime/index';
import type { Agent, AnySchema, CollectionCustomizer } from '../../src/exports/index.ts';
import { createFileField, type FileFieldOptions } from '../../src/exports/plugin-file-storage.ts';
import { eventuallyTrue } from '../helpers/eventually.ts';
import { startHttpServer } from '../helpers/http-server.ts';
import { confirmedCall, errorOf, mcpCall } from '../helpers/mcp-call.ts';
import { type S3Server, startS3Server } from '../helpers/s3-server.ts';
import { call, createShopFile, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const papers = `
CREATE TABLE papers (
  id INTEGER PRIMARY KEY, title TEXT UNIQUE, scan_key TEXT, photo_key TEXT, order_id INTEGER REFERENCES orders(id), deleted_at DATETIME
);
INSERT INTO papers VALUES (1, 'lease', NULL, NULL, 1, NULL), (2, 'deed', NULL, NULL, 2, NULL);`;

const pdf = (text: string, name = 'lease.pdf') => uri('application/pdf', text, name);
const uri = (type: string, text: string, name: string) =>
  `data:${type};name=${encodeURIComponent(name)};base64,${Buffer.from(text).toString('base64')}`;

interface Storage {
  readonly agent: ShopAgent;
  readonly s3: S3Server;
  /** Write attributes of a paper; the body of the answer. */
  write(
    attributes: object,
    id?: number,
  ): Promise<{ readonly status: number; readonly text: string; readonly json: Answer }>;
  /** The field of a paper. */
  scan(id: number): Promise<unknown>;
}

interface Answer {
  readonly data?: { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> };
  readonly errors?: readonly { readonly name: string; readonly detail: string }[];
}

interface StorageOptions {
  readonly softDelete?: Record<string, string>;
  /** Customizations of other collections. */
  readonly customize?: (agent: Agent) => unknown;
  /** More customizations. */
  readonly more?: (collection: CollectionCustomizer<AnySchema, 'papers'>) => unknown;
}

async function startStorage(
  options: Partial<FileFieldOptions> = {},
  { softDelete, more = () => undefined, customize }: StorageOptions = {},
): Promise<Storage> {
  const s3 = await startS3Server();
  const file = await createShopFile(undefined, papers);
  const agent = await startShopAgent(
    (customized: Agent) => {
      customized.customizeCollection('papers', (collection) =>
        more(
          collection.use(createFileField, { columnName: 'scan_key', fieldName: 'scan', bucket: s3.bucket, ...options }),
        ),
      );
      customize?.(customized);
    },
    { dataSources: { main: createSqlDataSource(file, softDelete ? { softDelete } : {}) } },
  );
  const written = { ...agent, databaseUri: file };
  return {
    agent: written,
    s3,
    write: async (attributes, id) => {
      const target = id === undefined ? '/papers' : `/papers/${id}`;
      const method = id === undefined ? 'POST' : 'PUT';
      const { status, text, json } = await call(agent, target, { method, body: { data: { attributes } } });
      return { status, text, json: json as Answer };
    },
    scan: async (id) => ((await call(agent, `/papers/${id}`)).json as Answer).data?.attributes['scan'],
  };
}

/** The key that a paper has in the database. */
async function keyOf({ agent }: Storage, id: number): Promise<unknown> {
  const connection = await openSqlite(agent.databaseUri.replace('sqlite:', ''));
  const [row] = connection.all('SELECT scan_key FROM papers WHERE id = ?', [id]);
  connection.close();
  return row?.['scan_key'];
}

describe('a field of files', () => {
  it('keeps what is uploaded, and reads it at a signed address', async () => {
    const { s3, write, scan } = await startStorage();
    const { status, json } = await write({ title: 'will', scan: pdf('My will', '../wéll "1".pdf') });
    expect(status).toBe(200);
    expect(json.data?.attributes).not.toHaveProperty('scan_key');
    const [key = ''] = await s3.keys();
    expect(key).toMatch(/^papers\/[0-9a-f-]{36}\/wéll-1-\.pdf$/);
    expect(await s3.file(key)).toEqual({
      text: 'My will',
      type: 'application/pdf',
      disposition: expect.stringContaining("filename*=UTF-8''w%C3%A9ll%20%221%22.pdf"),
    });
    const address = String(await scan(Number(json.data?.id)));
    expect(address).toContain('X-Amz-Expires=3600');
    const read = await fetch(address);
    expect([read.status, await read.text()]).toEqual([200, 'My will']);
    expect((await fetch(address.replace('X-Amz-Expires=3600', 'X-Amz-Expires=9999'))).status).toBe(403);
  });

  it('is one for those who see the schema, also where another collection imports it', async () => {
    const orders = (agent: Agent) =>
      agent.customizeCollection('orders', (collection) =>
        collection
          .addOneToOneRelation('paper', 'papers', { originKey: 'order_id' })
          .importField('paper_scan', { path: 'paper:scan_key__file' }),
      );
    const { agent } = await startStorage({}, { customize: orders });
    const fileFields = async (collection: string) => {
      const { fields } = (await call(agent, `/_internal/schema/${collection}`)).json as {
        fields: { name: string; isFile: boolean }[];
      };
      return fields.filter(({ isFile }) => isFile).map(({ name }) => name);
    };
    expect([await fileFields('papers'), await fileFields('orders')]).toEqual([['scan'], ['paper_scan']]);
  });

  it('deletes the file that is replaced or cleared, if it is asked to', async () => {
    const storage = await startStorage({ deleteFiles: true });
    await storage.write({ scan: pdf('first') }, 1);
    const first = await keyOf(storage, 1);
    await storage.write({ scan: pdf('second') }, 1);
    const second = await keyOf(storage, 1);
    expect(second).not.toBe(first);
    expect(await storage.s3.keys()).toEqual([second]);
    await storage.write({ scan: null }, 1);
    expect(await storage.s3.keys()).toEqual([]);
    expect(await storage.scan(1)).toBeNull();
  });

  it('keeps the files of records that change or go, unless an option says otherwise', async () => {
    const { agent, s3, write } = await startStorage();
    await write({ scan: pdf('first') }, 1);
    await write({ scan: pdf('second') }, 1);
    await call(agent, '/papers/1', { method: 'DELETE' });
    expect(await s3.keys()).toHaveLength(2);
  });

  it('deletes the files of deleted records, when they are gone', async () => {
    const { agent, s3, write } = await startStorage({ deleteFiles: true });
    await write({ scan: pdf('first') }, 1);
    await write({ scan: pdf('other') }, 2);
    expect((await call(agent, '/papers/1', { method: 'DELETE' })).status).toBe(204);
    expect(await s3.keys()).toHaveLength(1);
  });

  it('keeps a file as long as a record refers to it', async () => {
    const { agent, s3, write } = await startStorage({ deleteFiles: true });
    await write({ scan: pdf('shared') }, 1);
    const connection = await openSqlite(agent.databaseUri.replace('sqlite:', ''));
    connection.execute('UPDATE papers SET scan_key = (SELECT scan_key FROM papers WHERE id = 1) WHERE id = 2');
    connection.close();
    expect((await call(agent, '/papers/1', { method: 'DELETE' })).status).toBe(204);
    expect(await s3.keys()).toHaveLength(1);
    expect((await call(agent, '/papers/2', { method: 'DELETE' })).status).toBe(204);
    expect(await s3.keys()).toEqual([]);
  });

  it('keeps the files of records that can be restored', async () => {
    const { agent, s3, write } = await startStorage({ deleteFiles: true }, { softDelete: { papers: 'deleted_at' } });
    await write({ scan: pdf('first') }, 1);
    expect((await call(agent, '/papers/1', { method: 'DELETE' })).status).toBe(204);
    expect(await s3.keys()).toHaveLength(1);
  });

  it('takes a file back when the write is refused, and keeps the one before', async () => {
    const storage = await startStorage({ deleteFiles: true });
    await storage.write({ scan: pdf('first') }, 1);
    const key = await keyOf(storage, 1);
    const refused = await storage.write({ title: 'deed', scan: pdf('second') }, 1);
    expect(refused.status).toBe(400);
    expect(storage.s3.requests.filter(({ method }) => method === 'PUT')).toHaveLength(2);
    expect(await storage.s3.keys()).toEqual([key]);
    expect(await keyOf(storage, 1)).toBe(key);
  });

  it('takes its address or its key back as no change, and no other', async () => {
    const storage = await startStorage();
    await storage.write({ scan: pdf('first') }, 1);
    const key = await keyOf(storage, 1);
    for (const same of [await storage.scan(1), key]) {
      expect((await storage.write({ title: 'renamed', scan: same }, 1)).status).toBe(200);
    }
    expect(await keyOf(storage, 1)).toBe(key);
    expect(storage.s3.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    for (const other of ['papers/of/somebody/else.pdf', `${storage.s3.origin}/papers/x.pdf`, 'data:text/plain,x']) {
      const refused = await storage.write({ scan: other }, 1);
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('takes a file as a data URI')]);
    }
  });

  it('refuses what is too large or of another type before it is sent', async () => {
    const { s3, write } = await startStorage({ maxSizeBytes: 10, allowedTypes: ['application/pdf', 'image/*'] });
    expect((await write({ scan: pdf('eleven byte') }, 1)).status).toBe(413);
    const refused = await write({ scan: uri('text/html', '<b>', 'a.html') }, 1);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('application/pdf, image/*')]);
    expect((await write({ scan: uri('image/png', 'png', 'a.png') }, 1)).status).toBe(200);
    expect(s3.requests.filter(({ method }) => method === 'PUT')).toHaveLength(1);
  });

  it('is read as a data URI: what is missing is null, what is too large an address', async () => {
    const storage = await startStorage({ readAs: 'datauri', maxSizeBytes: 10 });
    await storage.write({ scan: pdf('short', 'lease.pdf') }, 1);
    expect(await storage.scan(1)).toBe(pdf('short'));
    const connection = await openSqlite(storage.agent.databaseUri.replace('sqlite:', ''));
    connection.execute("UPDATE papers SET scan_key = 'gone.pdf' WHERE id = 2");
    connection.close();
    expect(await storage.scan(2)).toBeNull();
    const put = await fetch(`${storage.s3.origin}/papers/gone.pdf`, { method: 'PUT', body: 'longer than ten' });
    expect(put.status).toBe(200);
    expect(await storage.scan(2)).toContain('/papers/gone.pdf?');
  });

  it('has a public address, an access list and headers of its own', async () => {
    const s3 = await startS3Server();
    const {
      s3: own,
      write,
      scan,
    } = await startStorage({
      bucket: { ...s3.bucket, publicUrl: 'https://files.example.test/' },
      acl: 'public-read',
      contentType: ({ mimeType }) => `${mimeType}; charset=utf-8`,
      contentDisposition: 'inline',
      storeAt: () => 'année/1 % 2.txt',
    });
    await write({ scan: uri('text/plain', 'hello', 'note.txt') }, 1);
    expect(own.requests).toEqual([]);
    expect(await scan(1)).toBe('https://files.example.test/ann%C3%A9e/1%20%25%202.txt');
    expect(s3.requests[0]?.headers).toMatchObject({ 'x-amz-acl': 'public-read' });
    expect(await s3.file('année/1 % 2.txt')).toEqual({
      text: 'hello',
      type: 'text/plain; charset=utf-8',
      disposition: 'inline; filename="note.txt"',
    });
  });
});

describe('two fields of files', () => {
  it('have a bucket each, and keep nothing when one of them fails while the other is on its way', async () => {
    const [scans, photos] = await Promise.all([startS3Server('scans'), startS3Server('photos')]);
    const storeAt = async (_id: unknown, fileName: string) => {
      await eventuallyTrue(() => scans.requests.length > 0);
      return fileName === 'bad.png' ? '' : fileName;
    };
    const { write } = await startStorage(
      { bucket: scans.bucket },
      {
        more: (collection) =>
          collection.use(createFileField, { columnName: 'photo_key', bucket: photos.bucket, storeAt }),
      },
    );
    const both = (photo: string) => write({ scan: pdf('a scan'), photo_key: uri('image/png', 'png', photo) }, 1);
    expect((await both('bad.png')).status).toBe(500);
    expect(scans.requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE']);
    expect(await scans.keys()).toEqual([]);
    expect((await both('good.png')).status).toBe(200);
    expect([await scans.keys(), await photos.keys()]).toEqual([[expect.any(String)], ['good.png']]);
  });
});

describe('the key of a file', () => {
  it('is made from the record, the name of the file and the context', async () => {
    const storage = await startStorage({
      storeAt: (recordId, fileName, { caller }) => `${caller.team}/${recordId ?? 'new'}/${fileName}`,
    });
    await storage.write({ scan: pdf('first') }, 1);
    expect(await keyOf(storage, 1)).toBe('Operations/1/lease.pdf');
    await storage.write({ scan: pdf('again') }, 1);
    expect((await storage.s3.file('Operations/1/lease.pdf'))?.text).toBe('again');
    await storage.write({ title: 'will', scan: pdf('will') });
    expect(await storage.s3.keys()).toContain('Operations/new/lease.pdf');
  });

  it('is not one that another file has', async () => {
    const storage = await startStorage({ storeAt: () => 'one.pdf' });
    await storage.write({ scan: pdf('first') }, 1);
    const refused = await storage.write({ scan: pdf('second') }, 2);
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Another file has the key')]);
    expect((await storage.s3.file('one.pdf'))?.text).toBe('first');
    expect(await keyOf(storage, 2)).toBeNull();
  });

  it('may be that of another file, if it is asked to', async () => {
    const { s3, write } = await startStorage({ storeAt: () => 'one.pdf', overwrite: true });
    await write({ scan: pdf('first') }, 1);
    expect((await write({ scan: pdf('second') }, 2)).status).toBe(200);
    expect((await s3.file('one.pdf'))?.text).toBe('second');
    expect((await write({ title: 'lease', scan: pdf('third') }, 2)).status).toBe(400);
    expect(await s3.keys()).toEqual(['one.pdf']);
  });

  it.each(['../../etc/passwd', '/one.pdf', 'a//b', '', 'a\nb', 'x'.repeat(1025)])('is not %j', async (key) => {
    const { agent, s3, write } = await startStorage({ storeAt: () => key });
    expect((await write({ scan: pdf('first') }, 1)).status).toBe(500);
    expect(agent.log.join()).toContain('The key that "storeAt" gives to a file');
    expect(s3.requests).toEqual([]);
  });
});

describe('the records of a field of files', () => {
  it('are filtered by whether there is a file and by its key, and by nothing else', async () => {
    const storage = await startStorage();
    await storage.write({ scan: pdf('first') }, 1);
    const found = async (operator: string, value?: unknown) => {
      const filters = encodeURIComponent(JSON.stringify({ field: 'scan', operator, value }));
      const { status, json } = await call(storage.agent, `/papers?filters=${filters}`);
      return status === 200 ? (json as { data: { id: string }[] }).data.map(({ id }) => id) : status;
    };
    expect(await found('present')).toEqual(['1']);
    expect(await found('blank')).toEqual(['2']);
    expect(await found('equal', await keyOf(storage, 1))).toEqual(['1']);
    expect(await found('contains', 'lease')).toBe(400);
  });

  it('are exported and read through relations with their addresses', async () => {
    const { agent, s3, write } = await startStorage();
    await write({ scan: pdf('first') }, 1);
    const csv = await call(agent, '/papers.csv?fields[papers]=title,scan&header=["title","scan"]&filename=papers');
    expect(csv.text).toContain(`${s3.origin}/papers/papers/`);
    const related = await call(agent, '/orders/1/relationships/papers?fields[papers]=title,scan');
    expect(related.text).toContain(`${s3.origin}/papers/papers/`);
  });
});

describe('an assistant', () => {
  it('creates, reads, replaces and deletes files by the tools of MCP', async () => {
    const { agent, s3 } = await startStorage({ deleteFiles: true });
    const ask = async (name: string, args: object, options: { readonly isConfirmed?: boolean } = {}) => {
      const send = options.isConfirmed ? confirmedCall : mcpCall;
      return send(agent, name, { collectionName: 'papers', ...args });
    };
    const { result } = await ask('create', { attributes: { title: 'will', scan: pdf('My will') } });
    const created = result.structuredContent['record'] as { readonly id: number; readonly scan: string };
    expect(await (await fetch(created.scan)).text()).toBe('My will');
    const filters = { field: 'scan', operator: 'Present' };
    const listed = await ask('list', { filters, fields: ['title', 'scan'] });
    expect(listed.result.structuredContent['records']).toEqual([
      { id: created.id, title: 'will', scan: expect.stringContaining('X-Amz-Signature') },
    ]);
    const recordId = String(created.id);
    await ask('update', { recordId, attributes: { title: 'last will', scan: created.scan } });
    expect((await fetch(created.scan)).status).toBe(200);
    const dry = await ask('update', { recordId, dryRun: true, attributes: { scan: pdf('draft') } });
    expect(dry.result.structuredContent['status']).toBe('dry_run');
    expect(await s3.keys()).toHaveLength(1);
    await ask('update', { recordId, attributes: { scan: pdf('another') } });
    expect([(await fetch(created.scan)).status, await s3.keys()]).toEqual([404, [expect.any(String)]]);
    const refused = errorOf(await ask('update', { recordId, attributes: { scan: 'lease.pdf' } }));
    expect(refused).toMatchObject({ code: 'REQUEST_INVALID', field: 'scan', retryable: false });
    s3.fail('PUT', 503);
    const failed = errorOf(await ask('update', { recordId, attributes: { scan: pdf('late') } }));
    expect(failed).toMatchObject({ code: 'FILE_STORE_UNAVAILABLE', retryable: true });
    await ask('delete', { recordIds: [recordId] }, { isConfirmed: true });
    expect(await s3.keys()).toEqual([]);
  });
});

describe('the store of files', () => {
  it('refuses the write when it fails, and the record stays as it was', async () => {
    const storage = await startStorage();
    storage.s3.fail('PUT', 503);
    const refused = await storage.write({ title: 'changed', scan: pdf('first') }, 1);
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('FILE_STORE_UNAVAILABLE')]);
    expect(storage.agent.log.join()).toContain('The store of files answered 503 (ServiceUnavailable).');
    expect((await call(storage.agent, '/papers/1')).json).toMatchObject({ data: { attributes: { title: 'lease' } } });
  });

  it('is reached through the proxy of the environment', async () => {
    const s3 = await startS3Server();
    const asked: string[] = [];
    const proxy = await startHttpServer((request, response) => {
      const { method, url = '', headers } = request;
      asked.push(url);
      const { pathname, search } = new URL(url);
      const behind = httpRequest(`${s3.origin}${pathname}${search}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(behind);
    });
    vi.stubEnv('HTTP_PROXY', proxy.origin);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { write } = await startStorage({ bucket: { ...s3.bucket, endpoint: 'http://files.test' } });
    expect((await write({ scan: pdf('first') }, 1)).status).toBe(200);
    expect(asked).toEqual([expect.stringMatching(/^http:\/\/files\.test\/papers\/papers\//)]);
    expect(await s3.keys()).toHaveLength(1);
  });

  it('names its code when it refuses the agent, and no secret', async () => {
    const s3 = await startS3Server();
    const credentials = () => ({ accessKeyId: 'S3RVER', secretAccessKey: 'a secret of nobody' });
    const { agent, write } = await startStorage({ bucket: { ...s3.bucket, credentials } });
    const refused = await write({ scan: pdf('first') }, 1);
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining('FILE_STORE_REFUSED')]);
    expect(agent.log.join()).toContain('The store of files refuses the agent (SignatureDoesNotMatch).');
    for (const text of [refused.text, agent.log.join()]) expect(text).not.toMatch(/S3RVER|secret|AWS4|127\.0\.0\.1/);
  });

  it('keeps a file that it cannot remove: the write stands, and the log names the file', async () => {
    const storage = await startStorage({ deleteFiles: true });
    await storage.write({ scan: pdf('first') }, 1);
    const key = await keyOf(storage, 1);
    storage.s3.fail('DELETE', 403);
    expect((await storage.write({ scan: pdf('second') }, 1)).status).toBe(200);
    expect(storage.agent.log.join()).toContain(`still in the store: "${key}"`);
  });
});
