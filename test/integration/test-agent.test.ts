import { readdir } from 'node:fs/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createMemoryDataSource, createSqlDataSource } from '../../src/exports/agent.ts';
import { startTestAgent, type TestAgentOptions } from '../../src/exports/agent-testing.ts';
import type { Agent } from '../../src/exports/index.ts';
import { createShopFile } from '../helpers/shop-agent.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

type DateonlyText = string & { readonly '~column'?: 'Dateonly' };

/** What generated typings say of the tasks. */
interface Schema {
  tasks: {
    fields: { id: number; title: string; due_on: DateonlyText | null; isLate: boolean | null };
    relations: object;
  };
}

const tasks = () =>
  createMemoryDataSource([
    {
      name: 'tasks',
      schema: {
        columns: [
          { name: 'id', type: 'Number' },
          { name: 'title', type: 'String' },
          { name: 'due_on', type: 'Dateonly', isNullable: true },
        ],
        primaryKey: ['id'],
      },
      records: [
        { id: 1, title: 'Pay', due_on: '2026-03-01' },
        { id: 2, title: 'Ship', due_on: '2026-03-02' },
      ],
    },
  ]);

function customize(agent: Agent<Schema>): void {
  agent.customizeCollection('tasks', (collection) =>
    collection
      .addField('isLate', {
        columnType: 'Boolean',
        dependencies: ['due_on'],
        getValues: (records) =>
          records.map(({ due_on }) => due_on !== null && due_on < new Date().toISOString().slice(0, 10)),
      })
      .addSegment('Due today', { field: 'due_on', operator: 'Today' }),
  );
}

const start = (options: Partial<TestAgentOptions<Schema>> = {}) =>
  startTestAgent<Schema>({ dataSource: tasks(), customize, ...options });

describe('a test agent', () => {
  it('serves a customization on records in memory, with a date that stands still until it is moved', async () => {
    const { client, clock, close } = await start({ now: '2026-03-01T12:00:00Z' });
    try {
      const titlesDue = async () =>
        (await client.collection('tasks').segment('Due today').list()).map(({ title }) => title);
      const lateOnes = async () => {
        const records = await client.collection('tasks').list({ sort: { field: 'id', ascending: true } });
        return records.map(({ isLate }) => isLate);
      };
      expect([await titlesDue(), await lateOnes()]).toEqual([['Pay'], [false, false]]);
      clock.set('2026-03-02T00:00:00Z');
      expect([await titlesDue(), await lateOnes()]).toEqual([['Ship'], [true, false]]);
      clock.advance(24 * 60 * 60 * 1000);
      expect([await titlesDue(), await lateOnes()]).toEqual([[], [true, true]]);
    } finally {
      await close();
    }
    expect(Math.abs(Date.now() - performance.timeOrigin - performance.now())).toBeLessThan(60_000);
  });

  it('writes the fixed date into columns that keep the time', async () => {
    const database = await createShopFile(undefined, 'alter table orders add column changed_at datetime;');
    const { client, close } = await startTestAgent({
      dataSource: createSqlDataSource(database, { timestamps: { orders: { updated: 'changed_at' } } }),
      now: '2026-03-01T12:00:00Z',
    });
    expect(await client.collection('orders').update(1, { status: 'draft' })).toMatchObject({
      changedAt: '2026-03-01T12:00:00.000Z',
    });
    await close();
  });

  it('closes everything, also twice, and leaves no files', async () => {
    const folder = await temporaryFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { client, close, url, sandbox } = await start();
    expect(await readdir(folder)).toHaveLength(2);
    expect(await client.collection('tasks').count()).toBe(2);
    await close();
    await close();
    await expect(fetch(url)).rejects.toThrowError();
    await expect(fetch(sandbox.url)).rejects.toThrowError();
    expect(await readdir(folder)).toEqual([]);
  });

  it('closes everything when the customization is wrong', async () => {
    const customizeWrong = (agent: Agent) => {
      agent.customizeCollection('tasks', (collection) => collection.removeField('titel'));
    };
    const now = '2026-01-01';
    await expect(startTestAgent({ dataSource: tasks(), customize: customizeWrong, now })).rejects.toMatchObject({
      code: expect.stringMatching(/^CUSTOMIZATION_/),
    });
    const next = await start({ now });
    await expect(start({ now })).rejects.toMatchObject({ code: 'TEST_OPTION_INVALID' });
    await next.close();
  });

  it('knows the names and values of generated typings', async () => {
    const { client, close } = await start();
    const [task] = await client.collection('tasks').list({ sort: { field: 'id', ascending: true } });
    const title: string | undefined = task?.title;
    const dueOn: string | null | undefined = task?.dueOn;
    expect([title, dueOn]).toEqual(['Pay', '2026-03-01']);
    // @ts-expect-error The typings have no such collection.
    expect(() => client.collection('task')).toThrowError('Did you mean "tasks"?');
    // @ts-expect-error A title is a text.
    const wrong: number | undefined = task?.title;
    expect(wrong).toBe('Pay');
    await close();
  });

  it('takes several data sources, fixtures and options of the agent', async () => {
    const { client, close, url } = await startTestAgent({
      dataSource: [tasks(), createSqlDataSource(await createShopFile())],
      fixtures: {
        roles: { reader: { collections: { tasks: { browse: true } } } },
        users: [{ email: 'ada@example.test', role: 'reader' }],
      },
      agentOptions: { prefix: '/api', instantCacheRefresh: false },
    });
    try {
      expect(url).toMatch(/\/api$/);
      const ada = client.as('ada@example.test');
      expect(await ada.collection('tasks').count()).toBe(2);
      await expect(ada.collection('orders').count()).rejects.toMatchObject({ status: 403 });
      expect(await client.collection('orders').count()).toBe(4);
      await expect(
        client
          .benchmark()
          .times(3)
          .warmUp(1)
          .run(() => ada.collection('tasks').count()),
      ).resolves.toMatchObject({
        times: 3,
      });
    } finally {
      await close();
    }
  });

  it.each([
    [{ dataSources: [] }, 'Did you mean "dataSource"?'],
    [{ now: 'yesterday' }, 'is not a moment'],
  ])('refuses a wrong option: %j', async (wrong, message) => {
    await expect(start(wrong as never)).rejects.toThrowError(message);
  });

  it('does not move the date of a test that did not fix it', async () => {
    const { clock, close } = await start();
    expect(() => clock.advance(1)).toThrowError(expect.objectContaining({ code: 'TEST_OPTION_INVALID' }));
    await close();
  });
});
