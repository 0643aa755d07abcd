import { access, chmod, copyFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { VisibleSchema } from '#contracts/visible-schema';
import { takeDevLock } from '#flows/dev-session/dev-session-lock';
import { type Reporter, silentReporter } from '#kernel/ports/reporter';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import { type DevSession, startDevSession } from '../helpers/dev-session.ts';
import { flowContext } from '../helpers/flow-context.ts';
import { readStoredActivities } from '../helpers/stored-activities.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

/** The first product, with the fields named. */
async function product({ ready }: DevSession, ...fields: string[]) {
  const query = `fields[products]=${['id', ...fields].join(',')}&sort=id&page[size]=1&timezone=UTC`;
  const response = await fetch(`${ready.agent.url}/products?${query}`, {
    headers: { authorization: `Bearer ${ready.token}` },
  });
  const body = (await response.json()) as { data?: { attributes: Record<string, unknown> }[]; errors?: unknown };
  return body.data?.[0]?.attributes ?? body.errors;
}

/** Two products, so that a handler can tell it from the self-test. */
function listTwo({ ready }: DevSession) {
  return fetch(`${ready.agent.url}/products?page[size]=2&timezone=UTC`, {
    headers: { authorization: `Bearer ${ready.token}` },
  });
}

/** Ends the worker, beside the request. */
const dying = `new Promise(() => setImmediate(() => { throw new Error('died'); }))`;

const computed = (expression: string) => `export default (agent) =>
  agent.customizeCollection('products', (products) =>
    products.addField('answer', { columnType: 'String', dependencies: ['id'], getValues: (rows) => rows.map(() => ${expression}) }));`;

describe('a dev session', () => {
  it('follows the modules that the code imports, also those that join later', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const folder = path.dirname(session.entry);
    await writeFiles(session.root, {
      'shared/words.ts': "export const word = 'one';",
      'src/index.ts': `import { word } from '../shared/words.ts';\n${computed('word')}`,
    });
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'one' });

    await writeFile(path.join(session.root, 'shared/words.ts'), "export const word = 'two';");
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'two' });

    await writeFile(path.join(folder, 'new.ts'), computed("'three'"));
    await rename(path.join(folder, 'new.ts'), session.entry);
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'three' });
  });

  it('follows dashboards, also in a folder that is new, and shows the line of what is wrong', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const titles = async () => {
      const response = await fetch(`${session.ready.agent.url}/_internal/schema`, {
        headers: { authorization: `Bearer ${session.ready.token}` },
      });
      const { dashboards } = (await response.json()) as VisibleSchema;
      return dashboards.map(({ title }) => title);
    };
    const file = 'dashboards/sales.json';
    const chart = { title: 'Products', collection: 'products', type: 'Value', aggregator: 'Count' };
    const write = (title: string, collection = 'products') =>
      writeFiles(session.root, {
        [file]: JSON.stringify({ title, charts: [{ ...chart, collection }] }, null, 2),
      });
    await write('One');
    await session.next('reloaded');
    expect(await titles()).toEqual(['One']);
    await write('Two');
    await session.next('reloaded');
    expect(await titles()).toEqual(['Two']);
    await write('Three', 'product');
    expect((await session.next('error')).error).toMatchObject({
      code: 'DASHBOARD_INVALID',
      message: expect.stringContaining('Did you mean "products"?'),
      location: { file: path.join(session.root, file), line: 4, frame: expect.stringContaining('> 4 |') },
    });
    expect(await titles()).toEqual(['Two']);
    await rm(path.join(session.root, file));
    await session.next('reloaded');
    expect(await titles()).toEqual([]);
  });

  it('replaces the worker when a request runs into an endless loop, and says so', { tags: 'long' }, async () => {
    const session = await startDevSession();
    await writeFile(session.entry, computed("(() => { while (rows.length > 1) {} return 'free'; })()"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'free' });
    expect((await listTwo(session)).status).toBe(503);
    expect((await session.next('error')).error).toMatchObject({
      code: 'CUSTOMIZATION_UNRESPONSIVE',
      message: expect.stringContaining('The computed field "answer" of "products" used 2 seconds'),
      location: { file: session.entry, line: 3, frame: expect.stringContaining('> 3 |') },
    });
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
  });

  it('tells of code that stops its thread, and replaces the worker', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
    await writeFile(session.entry, computed(`rows.length > 1 ? ${wait} : 'free'`));
    await session.next('reloaded');
    expect((await listTwo(session)).status).toBe(503);
    const { error } = await session.next('error');
    expect(error).toMatchObject({
      code: 'CUSTOMIZATION_UNRESPONSIVE',
      message: expect.stringContaining('The computed field "answer" of "products" stopped its thread'),
      nextSteps: [expect.stringContaining('Atomics.wait')],
      location: { file: session.entry, line: 3 },
    });
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
  });

  it('replaces a worker that a native function holds, while it is held', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const marker = path.join(session.root, 'go-on');
    const child = `const { existsSync } = require('node:fs'); const wait = () => existsSync(${JSON.stringify(marker)}) || setTimeout(wait, 50); wait();`;
    const hold = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(child)}])`;
    await writeFile(session.entry, computed(`rows.length > 1 ? ${hold} : 'free'`));
    await session.next('reloaded');
    onTestFinished(() => writeFile(marker, ''));
    expect((await listTwo(session)).status).toBe(503);
    const { error } = await session.next('error');
    expect(error).toMatchObject({
      code: 'CUSTOMIZATION_UNRESPONSIVE',
      message: expect.stringContaining('native function'),
    });
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
    expect(session.pending()).toEqual([]);
  });

  it('tells the developer where a request failed, and its client no more than that', async () => {
    const session = await startDevSession();
    await writeFile(
      session.entry,
      computed("(() => { if (rows.length > 1) throw new Error('two many'); return 'one'; })()"),
    );
    await session.next('reloaded');
    const answer = await fetch(`${session.ready.agent.url}/products?page[size]=2&timezone=UTC`, {
      headers: { authorization: `Bearer ${session.ready.token}` },
    });
    expect([answer.status, await answer.text()]).toEqual([500, expect.not.stringContaining('two many')]);
    const { error } = await session.next('request-failed');
    expect(error).toMatchObject({
      message: expect.stringContaining('two many'),
      location: { file: session.entry, line: 3, frame: expect.stringContaining('> 3 |') },
    });
  });

  it('replaces the worker when code of a timer throws', { tags: 'long' }, async () => {
    const session = await startDevSession();
    await writeFile(session.entry, `setTimeout(() => { throw new Error('late'); }, 100);\n${computed("'here'")}`);
    const { error } = await session.next('error');
    expect(error).toMatchObject({
      code: 'CUSTOMIZATION_EXITED',
      message: expect.stringContaining('late'),
      location: { file: session.entry, line: 1, frame: expect.stringContaining('> 1 |') },
    });
  });

  it('refuses code that exits, keeps its worker, and fixes itself with the next save', async () => {
    const session = await startDevSession();
    await writeFile(session.entry, 'export default () => process.exit(3);');
    expect((await session.next('error')).error).toMatchObject({
      code: 'CUSTOMIZATION_EXITED',
      location: { file: session.entry, line: 1, frame: expect.stringContaining('> 1 |') },
    });
    expect(session.pending()).toEqual([]);
    await writeFile(session.entry, computed("'fixed'"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'fixed' });
  });

  it('answers 503 with the reason when the worker is lost and no code loads, until the next save that does', async () => {
    const session = await startDevSession();
    const marker = path.join(session.root, 'broken');
    const guarded = (word: string) => `import { existsSync } from 'node:fs';
      if (existsSync(${JSON.stringify(marker)})) throw new Error('a secret of ${word}');
      ${computed(`rows.length > 1 ? ${dying} : '${word}'`)}`;
    const list = async () => {
      const response = await fetch(`${session.ready.agent.url}/products?page[size]=2&timezone=UTC`, {
        headers: { authorization: `Bearer ${session.ready.token}` },
      });
      return { status: response.status, body: await response.json() };
    };
    for (const word of ['one', 'two']) {
      await writeFile(session.entry, guarded(word));
      await session.next('reloaded');
    }
    await writeFile(marker, '');
    expect(await list()).toMatchObject({ status: 503, body: { errors: [{ code: 'AGENT_WORKER_LOST' }] } });
    expect((await session.next('error')).error.message).toContain('died');
    expect(await session.next('error')).toMatchObject({
      error: { message: expect.stringContaining('a secret of one') },
      serves: 'nothing',
    });

    const { status, body } = await list();
    expect(status).toBe(503);
    expect(body).toMatchObject({ errors: [{ status: 503, detail: expect.stringContaining('no code that loads') }] });
    expect(JSON.stringify(body)).not.toContain('secret');

    await writeFile(session.entry, 'export default () => process.exit(3);');
    expect((await session.next('error')).error).toMatchObject({ code: 'CUSTOMIZATION_EXITED' });
    expect(await list()).toMatchObject({
      status: 503,
      body: { errors: [{ detail: expect.stringContaining('process.exit(3)') }] },
    });

    await writeFile(session.entry, computed("'fixed'"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'fixed' });
    const connection = await openSqlite(path.join(session.root, 'shop.sqlite'));
    connection.execute('ALTER TABLE products ADD COLUMN shelf TEXT');
    connection.close();
    await session.next('restarted');
    expect(await product(session, 'shelf')).toMatchObject({ shelf: null });
  });

  it('keeps its worker over the reloads of code that harms nothing', async () => {
    const session = await startDevSession();
    const counting = (word: string) => `globalThis.loads = (globalThis.loads ?? 0) + 1;
      ${computed(`'${word} ' + globalThis.loads`)}`;
    for (const [index, word] of ['one', 'two', 'three'].entries()) {
      await writeFile(session.entry, counting(word));
      await session.next('reloaded');
      expect(await product(session, 'answer')).toMatchObject({ answer: `${word} ${index + 1}` });
    }
  });

  it('stops to load good code that loses its worker now, and answers 503', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const marker = path.join(session.root, 'broken');
    const guarded = (word: string) => `import { existsSync } from 'node:fs';
      if (existsSync(${JSON.stringify(marker)})) for (;;) {}
      ${computed(`rows.length > 1 ? ${dying} : '${word}'`)}`;
    for (const word of ['one', 'two']) {
      await writeFile(session.entry, guarded(word));
      await session.next('reloaded');
    }
    await writeFile(marker, '');
    const list = () =>
      fetch(`${session.ready.agent.url}/products?page[size]=2&timezone=UTC`, {
        headers: { authorization: `Bearer ${session.ready.token}` },
      });
    expect((await list()).status).toBe(503);
    expect((await session.next('error')).error.message).toContain('died');
    expect(await session.next('error')).toMatchObject({
      error: { code: 'CUSTOMIZATION_UNRESPONSIVE', location: { file: session.entry, line: 2 } },
      serves: 'nothing',
    });
    expect((await list()).status).toBe(503);
    await writeFile(session.entry, computed("'fixed'"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'fixed' });
  });

  it('sees a column that was added to the database', async () => {
    const session = await startDevSession();
    const connection = await openSqlite(path.join(session.root, 'shop.sqlite'));
    connection.execute('ALTER TABLE products ADD COLUMN shelf TEXT; CREATE VIEW lost AS SELECT * FROM nowhere;');
    connection.close();
    expect((await session.next('warning')).message).toContain('"lost"');
    await session.next('restarted');
    expect(await product(session, 'shelf')).toMatchObject({ shelf: null });
    expect(await readFile(path.join(session.root, 'typings.d.ts'), 'utf8')).toContain('shelf: string | null;');
  });

  it('keeps serving when a column that the code uses is renamed, and fixes itself with the code or the column', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const renameColumn = async (from: string, to: string) => {
      const connection = await openSqlite(path.join(session.root, 'shop.sqlite'));
      connection.execute(`ALTER TABLE products RENAME COLUMN ${from} TO ${to}`);
      connection.close();
    };
    const codeOn = (column: string) => computed('String(rows.length)').replace("['id']", `['${column}']`);
    await writeFile(session.entry, codeOn('name'));
    await session.next('reloaded');
    await renameColumn('name', 'title');
    expect((await session.next('error')).error.message).toContain('name');
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
    await writeFile(session.entry, codeOn('title'));
    await session.next('reloaded');
    expect(await product(session, 'answer', 'title')).toMatchObject({ title: expect.any(String) });

    await renameColumn('title', 'name');
    expect((await session.next('error')).error.message).toContain('title');
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
    await writeFile(session.entry, 'export default () => { throw new Error("not yet"); };');
    expect((await session.next('error')).error.message).toContain('not yet');
    expect(await product(session)).toHaveProperty('id');
    await renameColumn('name', 'title');
    await session.next('restarted');
    expect(await product(session, 'answer', 'title')).toMatchObject({ title: expect.any(String) });
  });

  it.each([
    'Object.prototype.left = 1;',
    'delete Array.prototype.map;',
    'JSON.stringify = () => { throw new Error("harmed"); };',
    'globalThis.Map = undefined;',
    'require("node:http").ServerResponse.prototype.end = () => undefined;',
    'require("node:crypto").createHash = () => { throw new Error("harmed"); };',
  ])('fixes itself with the next good save after %s', { tags: 'long' }, async (harm) => {
    const session = await startDevSession();
    await writeFile(session.entry, `${harm} throw new Error('failed');`);
    await session.next('error');
    await writeFile(session.entry, computed("'fixed'"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'fixed' });
  });

  it('fixes itself with the next good save after code that loaded and harmed the functions of the language', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    await writeFile(session.entry, `delete Array.prototype.copyWithin;\n${computed("'here'")}`);
    await session.next('reloaded');
    await writeFile(session.entry, computed("[1, 2].copyWithin(0, 1)[0] === 2 ? 'fixed' : 'harmed'"));
    await session.next('reloaded');
    expect(await product(session, 'answer')).toMatchObject({ answer: 'fixed' });
  });

  it('reports to its platform what people do, through swaps of code, another worker and its end', async () => {
    const session = await startDevSession();
    await product(session);
    await writeFile(session.entry, computed("'swapped'"));
    await session.next('reloaded');
    await product(session, 'answer');
    const secrets = await readFile(path.join(session.root, '.env'), 'utf8');
    await writeFile(path.join(session.root, '.env'), `${secrets}OTHER=1\n`);
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
    await session.stop();
    const stored = await readStoredActivities(path.join(session.root, '.vendor-cloud', 'platform.sqlite'));
    const report = { action: 'index', collection: 'products', status: 'completed' };
    expect(stored).toMatchObject([report, report, report]);
    const left = await readdir(path.join(session.root, '.vendor-cloud', 'activity'), { recursive: true });
    expect(left.map((name) => path.basename(name))).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/), '.gitignore']);
  });

  it('refuses a write that cannot be recorded, as long as its configuration says so', { tags: 'long' }, async () => {
    const variables = { SERVICE_DURABLE_WRITES: 'false' };
    const session = await startDevSession(undefined, undefined, undefined, variables);
    const config = path.join(session.root, 'vendor-cloud.json');
    const project = JSON.parse(await readFile(config, 'utf8')) as object;
    // A file is not a place for reports.
    await writeFile(path.join(session.root, '.vendor-cloud', 'activity'), '');
    const rename = async (name: string) => {
      const response = await fetch(`${session.ready.agent.url}/products/1?timezone=UTC`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${session.ready.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data: { attributes: { name } } }),
      });
      return response.status;
    };
    expect(await rename('first')).toBe(200);
    await writeFile(config, JSON.stringify({ ...project, activityRequired: true }));
    await session.next('restarted');
    expect(await rename('second')).toBe(503);
    expect(await product(session, 'name')).toMatchObject({ name: 'first' });
    await writeFile(config, JSON.stringify(project));
    await session.next('restarted');
    expect(await rename('third')).toBe(200);
  });

  it('reads the project again when its configuration changes, and keeps serving when that is broken', async () => {
    const session = await startDevSession();
    const config = path.join(session.root, 'vendor-cloud.json');
    const good = await readFile(config, 'utf8');
    await writeFile(config, '{');
    expect((await session.next('error')).error.code).toBe('PROJECT_CONFIG_INVALID');
    expect(await product(session)).toHaveProperty('id');
    await writeFile(config, good.replace('./shop.sqlite', '${SHOP}'));
    expect((await session.next('error')).error.code).toBe('PROJECT_VARIABLE_MISSING');
    const secrets = await readFile(path.join(session.root, '.env'), 'utf8');
    await writeFile(path.join(session.root, '.env'), `${secrets}SHOP=./shop.sqlite\n`);
    await session.next('restarted');
    expect(await product(session)).toHaveProperty('id');
  });

  it('serves two databases of one schema, once their names differ', { tags: 'long' }, async () => {
    const session = await startDevSession();
    const config = path.join(session.root, 'vendor-cloud.json');
    const { dataSources, ...project } = JSON.parse(await readFile(config, 'utf8')) as Record<string, unknown>;
    await copyFile(path.join(session.root, 'shop.sqlite'), path.join(session.root, 'old.sqlite'));
    const write = (old: object) =>
      writeFile(
        config,
        JSON.stringify({
          ...project,
          dataSources: { ...(dataSources as object), old: { uri: 'sqlite:./old.sqlite', ...old } },
        }),
      );
    await write({});
    const { error } = await session.next('error');
    expect(error.code).toBe('CUSTOMIZATION_INVALID');
    expect(error.message).toMatch(/"products".* Use "rename"/);
    await write({ rename: { nothing: 'else' } });
    const wrong = (await session.next('error')).error;
    expect(wrong.message).toContain('The option "rename" of the data source "old" in vendor-cloud.json cannot be used');
    await write({ include: ['products'], rename: 'old_' });
    await session.next('restarted');
    const count = async (collection: string) => {
      const response = await fetch(`${session.ready.agent.url}/${collection}/count?timezone=UTC`, {
        headers: { authorization: `Bearer ${session.ready.token}` },
      });
      return response.status === 200 ? await response.json() : response.status;
    };
    expect(await count('old_products')).toEqual(await count('products'));
    expect(await count('old_products')).toHaveProperty('count');
    expect(await count('old_orders')).toBe(404);
  });

  it('passes on what the code prints', async () => {
    const session = await startDevSession();
    await writeFile(session.entry, `console.log('hello from the code');\n${computed("'x'")}`);
    expect((await session.next('output')).text).toContain('hello from the code');
  });

  it('reloads unchanged code only when it is asked to', async () => {
    const session = await startDevSession();
    await writeFile(session.entry, await readFile(session.entry, 'utf8'));
    session.controls.reload();
    await session.next('reloaded');
    expect(session.pending().filter(({ event }) => event === 'reloaded')).toEqual([]);
  });

  it('keeps what it writes to its owner, in a folder that an older version left open too', {
    tags: 'long',
  }, async () => {
    const session = await startDevSession();
    const folder = path.join(session.root, '.vendor-cloud');
    const modesIn = async () => {
      const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile());
      const paths = [folder, ...files.map(({ parentPath, name }) => path.join(parentPath, name))];
      // A file that is written whole has another name for a moment.
      const found = await Promise.all(paths.map((file) => stat(file).catch(() => undefined)));
      return found.flatMap((stats, index) =>
        stats ? [[path.relative(folder, paths[index] ?? ''), (stats.mode & 0o777).toString(8)]] : [],
      );
    };
    const isOpen = ([, mode = '']: string[]) => !['700', '600'].includes(mode);
    const modes = await modesIn();
    expect(modes).toContainEqual(['platform.sqlite-wal', '600']);
    expect(modes.filter(isOpen)).toEqual([]);
    await session.stop();
    await Promise.all([chmod(folder, 0o755), chmod(path.join(folder, 'platform.sqlite'), 0o644)]);
    await startDevSession(session.root);
    expect((await modesIn()).filter(isOpen)).toEqual([]);
  });

  it('clears the lock that a crashed session left, and removes its own', async () => {
    const session = await startDevSession();
    const lock = path.join(session.root, '.vendor-cloud/session.json');
    await access(lock);
    await session.stop();
    await expect(access(lock)).rejects.toMatchObject({ code: 'ENOENT' });
    // This pid runs, but its process started long after the session did.
    const pid = process.pid;
    await writeFiles(session.root, {
      '.vendor-cloud/session.json': JSON.stringify({ pid, startedAt: '2020-01-01T00:00:00.000Z' }),
    });
    await (await takeDevLock(flowContext(session.root), session.root)).release();
    await expect(access(lock)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('waits for the end of a session that ends', async () => {
    const root = await temporaryFolder();
    const context = flowContext(root);
    const held = await takeDevLock(context, root);
    await held.announceEnd();
    const steps: string[] = [];
    const reporter: Reporter = {
      ...silentReporter,
      step(title, work) {
        steps.push(title);
        const waiting = work(() => undefined);
        void held.release();
        return waiting;
      },
    };
    const next = await takeDevLock({ ...context, reporter }, root);
    expect(steps).toEqual([`Waiting for process ${process.pid}, which serves the project, to end`]);
    await next.release();
  });

  it.each(['', '{"pid":1,"startedAt":"2026-', 'null', '{"pid":"1"}'])(
    'takes a lock that holds no session for one that a crash left: %j',
    { tags: 'long' },
    async (content) => {
      const root = await temporaryFolder();
      const lock = path.join(root, '.vendor-cloud/session.json');
      await writeFiles(root, { '.vendor-cloud/session.json': content });
      const context = flowContext(root);
      const held = await takeDevLock(context, root);
      expect(JSON.parse(await readFile(lock, 'utf8'))).toMatchObject({ pid: process.pid });
      await expect(takeDevLock(context, root)).rejects.toMatchObject({ code: 'PROJECT_IN_USE' });
      await held.release();
      await expect(access(lock)).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});
