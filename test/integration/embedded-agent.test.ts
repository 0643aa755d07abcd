import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { knownSchemaSchema, schemaDocumentSchema } from '#contracts/schema-document';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { CallSite } from '#runtime/user-code/call-site';
import { type AgentOptions, createAgent, createSqlDataSource } from '../../src/exports/agent.ts';
import type { ChartResultBuilder, Plugin } from '../../src/exports/index.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { call } from '../helpers/rest-call.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function setUp(options: Partial<AgentOptions> = {}) {
  const folder = await temporaryFolder();
  const typingsPath = path.join(folder, 'typings.d.ts');
  const shop = await createEmbeddedShop({ typingsPath, ...options });
  shop.agent.mountOnStandaloneServer(0);
  const get = async (target: string) => {
    const agentUrl = `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`;
    const { status, json, text } = await call({ agentUrl, token: shop.token }, target, { timezone: 'UTC' });
    return { status, body: json ?? text };
  };
  return { ...shop, folder, typingsPath, get };
}

function callHere(): SourceLocation {
  const { location } = new CallSite(callHere);
  if (!location) throw new TypeError('A test is always somewhere.');
  return location;
}

async function readSchema(file: string) {
  return schemaDocumentSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

describe('an agent inside an application', () => {
  it('tells plugins what its data sources have', async () => {
    const { agent, databaseUri, schemaPath } = await setUp();
    const withoutTexts: Plugin<{ keep: string }> = (given, collection, options) => {
      expect(collection).toBeUndefined();
      const orders = given.collections.find(({ name }) => name === 'orders');
      expect(orders?.columns[0]).toEqual({
        name: 'id',
        type: 'Number',
        isPrimaryKey: true,
        isNullable: false,
        isReadOnly: false,
      });
      expect(orders?.relations).toContainEqual({
        kind: 'ManyToOne',
        name: 'customer',
        foreignCollection: 'customers',
      });
      for (const { name, columns } of given.collections) {
        const removed = columns.filter(
          (column) => column.type === 'String' && !column.isPrimaryKey && column.name !== options?.keep,
        );
        given.customizeCollection(name, (on) => on.removeField(...removed.map((column) => column.name)));
      }
    };
    agent.addDataSource(createSqlDataSource(databaseUri)).use(withoutTexts, { keep: 'name' });
    await agent.generateSchemaOnly();
    const { collections } = await readSchema(schemaPath);
    const texts = collections.flatMap(({ fields }) => fields.filter(({ type }) => type === 'String'));
    expect(new Set(texts.map(({ field }) => field))).toEqual(new Set(['name', 'sku']));
  });

  it('tells the platform the origins of its webhooks with its schema, and keeps them out of the schema file', async () => {
    const { agent, newAgent, databaseUri, schemaPath, sandbox, access } = await setUp({
      rest: { webhookOrigins: ['https://hooks.example.com'] },
    });
    const known = async () => {
      const headers = { authorization: `Bearer ${access.userToken}` };
      const answer = await fetch(`${sandbox.url}/api/schema`, { headers });
      return knownSchemaSchema.parse(await answer.json()).schema?.meta;
    };
    await agent.addDataSource(createSqlDataSource(databaseUri)).start();
    expect((await known())?.webhook_origins).toEqual(['https://hooks.example.com']);
    expect((await readSchema(schemaPath)).meta).not.toHaveProperty('webhook_origins');
    await newAgent({ rest: {} }).addDataSource(createSqlDataSource(databaseUri)).start();
    expect(await known()).not.toHaveProperty('webhook_origins');
  });

  it('takes a part of a data source under other names, customized, and serves it', async () => {
    const { agent, databaseUri, schemaPath, typingsPath, get } = await setUp();
    agent
      .addDataSource(createSqlDataSource(databaseUri), {
        exclude: ['events', 'lines'],
        rename: { customers: 'clients' },
      })
      .customizeCollection('clients', (clients) =>
        clients.addField('shout', {
          columnType: 'String',
          dependencies: ['name'],
          getValues: (records) => records.map(({ name }) => String(name).toUpperCase()),
        }),
      );
    await agent.start();
    expect((await get('/clients?fields[clients]=shout&sort=id')).body).toMatchObject({
      data: [{ attributes: { shout: 'ZED' } }, { attributes: { shout: 'ÜNAL' } }],
    });
    expect((await get('/orders/1?fields[orders]=customer&fields[customer]=name')).body).toMatchObject({
      included: [{ type: 'clients', attributes: { name: 'Zed' } }],
    });
    expect((await get('/events')).status).toBe(404);
    const { collections } = await readSchema(schemaPath);
    expect(collections.map(({ name }) => name)).toEqual(['a b/ç', 'clients', 'orders']);
    expect(await readFile(typingsPath, 'utf8')).toContain('shout');
  });

  it('sees new tables after a restart, on the same port, and keeps serving when a restart fails', async () => {
    const { agent, databaseUri, get } = await setUp();
    let isBroken = false;
    agent.addDataSource(createSqlDataSource(databaseUri)).customizeCollection('orders', () => {
      if (isBroken) throw new Error('boom');
    });
    await agent.start();
    const port = agent.standaloneServerPort;
    expect((await get('/invoices/count')).status).toBe(404);
    const connection = await openSqlite(databaseUri.replace('sqlite:', ''));
    connection.execute('CREATE TABLE invoices (id INTEGER PRIMARY KEY)');
    connection.close();
    await agent.restart();
    expect(agent.standaloneServerPort).toBe(port);
    expect((await get('/invoices/count')).body).toEqual({ count: 0 });
    isBroken = true;
    await expect(agent.restart()).rejects.toMatchObject({ code: 'CUSTOMIZATION_FAILED' });
    expect((await get('/invoices/count')).body).toEqual({ count: 0 });
  });

  it('names the file and line of the application for every declaration that is wrong', async () => {
    const { agent, databaseUri } = await setUp({ serverUrl: 'http://127.0.0.1:9' });
    const chart = (_context: unknown, result: ChartResultBuilder) => result.value(1);
    agent.addDataSource(createSqlDataSource(databaseUri));
    const { line } = callHere();
    agent.customizeCollection('ordres', () => undefined);
    agent.removeCollection('costumers');
    agent.addChart('Sales', chart).addChart('Sales', chart);
    agent.use((plugged) => void plugged.removeCollection('linse'));
    agent.customizeCollection('orders', (orders) => orders.renameField('totl', 'sum'));
    const error = await agent.generateSchemaOnly().catch((thrown: unknown) => thrown);
    const { problems } = (error as { details: { problems: { message: string; location: object }[] } }).details;
    expect(problems.map(({ message, location }) => [/"\w+"/.exec(message)?.[0], location])).toEqual(
      ['"ordres"', '"costumers"', '"Sales"', '"linse"', '"orders"'].map((name, index) => [
        name,
        { file: import.meta.filename, line: line + 1 + index, column: expect.any(Number) },
      ]),
    );
  });

  it('writes schema and typings without starting', async () => {
    const { agent, databaseUri, schemaPath, typingsPath, folder } = await setUp({ serverUrl: 'http://127.0.0.1:9' });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await agent.generateSchemaOnly();
    expect((await readSchema(schemaPath)).collections).toHaveLength(5);
    const other = path.join(folder, 'other.d.ts');
    await agent.updateTypesOnFileSystem(other);
    expect(await readFile(other, 'utf8')).toBe(await readFile(typingsPath, 'utf8'));
    await agent.updateTypesOnFileSystem(other, 3);
    expect(await readFile(other, 'utf8')).toContain('(depth: 3): never');
    expect(agent.standaloneServerPort).toBeUndefined();
  });

  it('writes typings as deep as the options say', async () => {
    const { agent, databaseUri, typingsPath } = await setUp({ serverUrl: 'http://127.0.0.1:9', typingsMaxDepth: 2 });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await agent.generateSchemaOnly();
    expect(await readFile(typingsPath, 'utf8')).toContain('(depth: 2): never');
  });

  it('writes them in production without a platform, and starts only with one', async () => {
    const { databaseUri, schemaPath, typingsPath, authSecret } = await setUp();
    const newAgent = (options: Partial<AgentOptions> = {}) => {
      const made = createAgent({ authSecret, envSecret: 'd'.repeat(64), isProduction: true, schemaPath, ...options });
      onTestFinished(() => made.stop());
      return made.addDataSource(createSqlDataSource(databaseUri));
    };
    const agent = newAgent({ typingsPath }).mountOnStandaloneServer(0);
    await agent.generateSchemaOnly();
    expect((await readSchema(schemaPath)).collections).toHaveLength(5);
    expect(await readFile(typingsPath, 'utf8')).toContain('Schema');
    const refused = { code: 'AGENT_OPTION_INVALID', message: expect.stringContaining('"serverUrl"') };
    await expect(agent.start()).rejects.toMatchObject(refused);
    expect(agent.standaloneServerPort).toBeUndefined();
    const noCode = newAgent({ experimental: { updateRecordCustomActions: true } });
    await expect(noCode.generateSchemaOnly()).rejects.toMatchObject(refused);
  });

  it('touches neither schema nor typings that say the same already', async () => {
    const { agent, databaseUri, schemaPath, typingsPath } = await setUp({ serverUrl: 'http://127.0.0.1:9' });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await agent.generateSchemaOnly();
    const inodes = () => Promise.all([schemaPath, typingsPath].map(async (file) => (await stat(file)).ino));
    const before = await inodes();
    await agent.generateSchemaOnly();
    await agent.updateTypesOnFileSystem(typingsPath);
    expect(await inodes()).toEqual(before);
  });

  it('reads the schema file in production, and does not start without one', async () => {
    const { agent, databaseUri, schemaPath, typingsPath } = await setUp({ isProduction: true });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await expect(agent.start()).rejects.toMatchObject({ code: 'AGENT_SCHEMA_MISSING' });
    await agent.generateSchemaOnly();
    const written = await readFile(schemaPath, 'utf8');
    await agent.start();
    expect(await readFile(schemaPath, 'utf8')).toBe(written);
    await expect(readFile(typingsPath, 'utf8')).resolves.toContain('Schema');
  });

  it('does not start when the platform does not accept its secret, and says so', async () => {
    const { agent, databaseUri } = await setUp({ envSecret: 'c'.repeat(64) });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await expect(agent.start()).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
    expect(agent.standaloneServerPort).toBeUndefined();
  });

  it('refuses bodies over its own limit, and words its errors as it was told', async () => {
    const { agent, databaseUri, token } = await setUp({
      bodyParserOptions: { jsonLimit: '1kb', enableRawChecking: true },
      customizeErrorMessage: (error) => (error instanceof Error ? `Sorry: ${error.message}` : undefined),
    });
    agent.addDataSource(createSqlDataSource(databaseUri)).customizeCollection('orders', (orders) =>
      orders.addHook('Before', 'Create', () => {
        throw new Error('sold out');
      }),
    );
    await agent.start();
    const agentUrl = `http://127.0.0.1:${agent.standaloneServerPort}/service`;
    const create = (ref: string) =>
      call({ agentUrl, token }, '/orders', { method: 'POST', body: { data: { attributes: { ref } } } });
    expect((await create('x'.repeat(1024))).status).toBe(413);
    const { status, json } = await create('x');
    expect({ status, json }).toMatchObject({ status: 500, json: { errors: [{ detail: 'Sorry: sold out' }] } });
  });

  it('addresses actions by their names alone if it is asked to, and refuses two of one address', async () => {
    const { agent, databaseUri, schemaPath, token } = await setUp({ useUnsafeActionEndpoint: true });
    const names = ['First', 'Say hello!'];
    agent.addDataSource(createSqlDataSource(databaseUri)).customizeCollection('orders', (orders) => {
      for (const name of names)
        orders.addAction(name, { scope: 'Global', execute: (_context, result) => result.success(name) });
    });
    await agent.start();
    const rest = { agentUrl: `http://127.0.0.1:${agent.standaloneServerPort}/service`, token };
    const execute = (path: string) =>
      call(rest, path, { method: 'POST', body: { data: { attributes: { values: {} } } } });
    expect((await execute('/_actions/orders/say-hello-')).json).toMatchObject({ success: 'Say hello!' });
    expect((await execute('/_actions/orders/say-hello-/hooks/load')).json).toMatchObject({ fields: [] });
    expect((await execute('/_actions/orders/1/say-hello-')).status).toBe(404);
    const { collections } = await readSchema(schemaPath);
    expect(collections.flatMap(({ actions }) => actions.map(({ id, endpoint }) => [id, endpoint]))).toEqual([
      ['orders-first', '/service/_actions/orders/first'],
      ['orders-say-hello-', '/service/_actions/orders/say-hello-'],
    ]);
    names.push('Say hello?');
    await expect(agent.restart()).rejects.toMatchObject({
      code: 'CUSTOMIZATION_INVALID',
      message: expect.stringContaining('same address'),
    });
  });

  it('neither writes nor sends the schema if it is asked not to', async () => {
    const { agent, databaseUri, schemaPath, get } = await setUp({ skipSchemaUpdate: true });
    agent.addDataSource(createSqlDataSource(databaseUri));
    await agent.start();
    expect((await get('/orders/count')).body).toEqual({ count: 4 });
    await expect(stat(schemaPath)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
