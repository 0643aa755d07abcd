import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap } from '#flows/bootstrap/bootstrap';
import { check } from '#flows/check/check';
import { flowContext } from '../helpers/flow-context.ts';
import { startMongoPeer } from '../helpers/mingo/mongo-peer.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

describe('bootstrap on MongoDB', () => {
  let peer: Awaited<ReturnType<typeof startMongoPeer>>;
  beforeAll(async () => {
    peer = await startMongoPeer();
    const client = new MongoClient(peer.uri);
    const shop = client.db('shop');
    const customerId = new ObjectId();
    await shop.collection('customers').insertOne({ _id: customerId, name: 'Ada', address: { city: 'Paris' } });
    await shop.collection('orders').insertOne({ customerId, items: [{ _id: new ObjectId(), sku: 'pen', price: 2 }] });
    await client.close();
  });
  afterAll(() => peer.stop());

  it('types the collections, their documents and their references, and keeps the address out of git', async () => {
    const context = flowContext(await temporaryFolder());
    const project = await bootstrap(context, { directory: 'admin', template: 'blank', uri: peer.uri });
    expect(project).toMatchObject({ collections: 3, warnings: [] });
    const read = (file: string) => readFile(path.join(project.path, file), 'utf8');
    const typings = (await read('typings.d.ts')).replaceAll(/\s+/g, ' ');
    expect(typings).toContain("customers: { fields: { _id: string; 'address@@@city': string; name: string; }; ");
    expect(typings).toContain("relations: { customer: 'customers'; orders_items: 'orders_items'[]; };");
    expect(typings).toContain(
      'orders_items: { fields: { _id: string; parentId: string; price: number; sku: string; };',
    );
    expect(await read('.env')).toContain(peer.uri);
    expect(await read('vendor-cloud.json')).not.toContain('mongodb');
    expect(await check(context, { folder: project.path })).toMatchObject({ isPassed: true });
  });

  it.each([
    ['without a host', 'mongodb://', 'a host'],
    ['without a database', 'mongodb://127.0.0.1:27017', 'ends in the name of the database'],
    ['with a port that is not one', 'mongodb://u:secret@127.0.0.1:99999/shop', 'The driver cannot read'],
    ['with an unknown parameter', 'mongodb://u:secret@127.0.0.1/shop?retry=always', 'The driver cannot read'],
    ['of a misspelt scheme', 'mongo://u:secret@127.0.0.1/shop', '"mongo" is not supported'],
  ])('refuses an address %s, without a word of the password', async (_what, uri, message) => {
    const context = flowContext(await temporaryFolder());
    const refused = await bootstrap(context, { directory: 'admin', template: 'blank', uri }).catch((error) => error);
    expect(refused).toMatchObject({ code: 'DATABASE_URI_INVALID', message: expect.stringContaining(message) });
    expect(refused.nextSteps.join('\n')).toContain('mongodb://');
    expect(JSON.stringify([refused, refused.message])).not.toContain('secret');
  });
});
