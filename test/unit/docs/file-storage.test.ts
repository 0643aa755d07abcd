import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fileFieldOf } from '#runtime/plugins/file-storage/file-field';
import { startS3Server } from '../../helpers/s3-server.ts';
import { call, startShopAgent } from '../../helpers/shop-agent.ts';
import { keepFiles } from './file-example.ts';
import { keepPhotos } from './file-server-example.ts';

const repository = path.resolve(import.meta.dirname, '../../..');
const tables = `
  CREATE TABLE invoices (id INTEGER PRIMARY KEY, document_key TEXT);
  ALTER TABLE customers ADD COLUMN photo_key TEXT;
  INSERT INTO invoices VALUES (1, NULL);
  UPDATE customers SET photo_key = 'Sales/zed 1.png' WHERE id = 1;`;

/** An example as its page has it. */
async function written(file: string): Promise<string> {
  const text = await readFile(path.join(import.meta.dirname, file), 'utf8');
  return text
    .replaceAll('../../../src/exports/index.ts', '@vendor/cloud')
    .replaceAll('../../../src/exports/plugin-file-storage.ts', '@vendor/cloud/plugin-file-storage')
    .replace(/export function \w+/, 'export default function customize');
}

describe('the page about files in buckets', () => {
  it('has the examples that run here, and no other', async () => {
    const page = await readFile(path.join(repository, 'docs/file-storage.md'), 'utf8');
    const blocks = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block);
    expect(blocks).toEqual([await written('file-example.ts'), await written('file-server-example.ts')]);
  });

  it('names every option', async () => {
    const page = await readFile(path.join(repository, 'docs/file-storage.md'), 'utf8');
    const options = [...page.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, name = '']) => name);
    expect(() => fileFieldOf({ unknown: 1 } as never)).toThrow('has no option "unknown"');
    for (const name of options.filter((option) => !option.startsWith('bucket.'))) {
      expect(() => fileFieldOf({ [name]: {} } as never)).not.toThrow('has no option');
    }
    expect(options).toHaveLength(18);
  });

  it('shows a field that keeps its files with the credentials of the environment', async () => {
    const s3 = await startS3Server('invoices');
    vi.stubEnv('AWS_ENDPOINT_URL_S3', s3.origin);
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
    const agent = await startShopAgent(keepFiles, {}, tables);
    const body = { data: { attributes: { document: 'data:application/pdf;name=may.pdf;base64,aGk=' } } };
    expect((await call(agent, '/invoices/1', { method: 'PUT', body })).status).toBe(200);
    const [key = ''] = await s3.keys();
    expect((await s3.file(key))?.text).toBe('hi');
  });

  it('shows a field with a public address', async () => {
    const agent = await startShopAgent(keepPhotos, {}, tables);
    const { json } = await call(agent, '/customers/1');
    expect(json).toMatchObject({
      data: { attributes: { photo_key: 'https://photos.example.com/Sales/zed%201.png' } },
    });
  });
});
