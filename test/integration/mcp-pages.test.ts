import { describe, expect, it } from 'vitest';
import { toolNames } from '#contracts/mcp';
import { mcpCaller } from '../helpers/mcp-client.ts';
import { call as rest, startShopAgent } from '../helpers/shop-agent.ts';

const mcpTools = toolNames;

/** A table of many columns and long values. */
const wideTable = `create table wide (id integer primary key, ${Array.from({ length: 30 }, (_, n) => `c${n} text`).join(', ')}, full_name text, photo blob);
  insert into wide (id, c0, c29, full_name, photo) values (1, '${'x'.repeat(3_000)}', 'last', 'Ada', zeroblob(500));`;

/** A table of many rows. */
const manyRows = `create table numbers (id integer primary key, note text);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 250) insert into numbers select i, printf('%0500d', i) from n;`;

const start = (moreTables?: string) => startShopAgent(undefined, { mcpTools }, moreTables);

describe('pages', () => {
  it('go on from a cursor until every record was given once, in the order of the key', async () => {
    const call = await mcpCaller(await start(manyRows));
    const seen: number[] = [];
    let cursor: string | undefined;
    do {
      const args = { collectionName: 'numbers', pagination: { size: 100 }, ...(cursor ? { cursor } : {}) };
      const { structured } = await call('list', args);
      const { records, page } = structured as {
        records: { id: number }[];
        page: { nextCursor?: string; hasMore: boolean };
      };
      seen.push(...records.map(({ id }) => id));
      cursor = page.nextCursor;
      expect(page.hasMore).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
  });

  it('neither repeat nor lose a record when others are deleted and made in between', async () => {
    const agent = await start(manyRows);
    const call = await mcpCaller(agent);
    const firstOf = async (args: Record<string, unknown>) => {
      const { structured } = await call('list', { collectionName: 'numbers', fields: ['id'], ...args });
      return structured as { records: { id: number }[]; page: { nextCursor: string } };
    };
    const upwards = { pagination: { size: 10 } };
    const downwards = { pagination: { size: 10 }, sort: { field: 'id', ascending: false } };
    const up = await firstOf(upwards);
    const down = await firstOf(downwards);
    for (const id of [1, 2, 3, 249]) await rest(agent, `/numbers/${id}`, { method: 'DELETE' });
    for (const id of [-1, 1_000]) {
      const body = { data: { attributes: { id, note: 'new' }, type: 'numbers' } };
      expect((await rest(agent, '/numbers', { method: 'POST', body })).status).toBe(200);
    }
    const next = await firstOf({ ...upwards, cursor: up.page.nextCursor, enableCount: true });
    expect(next).toMatchObject({ records: Array.from({ length: 10 }, (_, n) => ({ id: n + 11 })), totalCount: 248 });
    const before = await firstOf({ ...downwards, cursor: down.page.nextCursor });
    expect(before.records).toEqual(Array.from({ length: 10 }, (_, n) => ({ id: 240 - n })));
  });

  it('are in the order of several fields, which cursors are bound to', async () => {
    const call = await mcpCaller(await start(manyRows));
    const page = async (args: object) => {
      const { structured } = await call('list', { collectionName: 'orders', fields: ['id', 'status'], ...args });
      return structured as { records: { id: number; status: string }[]; page: { nextCursor: string } };
    };
    const args = { sort: '-status,-id', pagination: { size: 2 } };
    const first = await page(args);
    const second = await page({ ...args, cursor: first.page.nextCursor });
    const seen = [...first.records, ...second.records].map(({ id, status }) => [status, id] as const);
    expect(seen).toHaveLength(4);
    expect(seen).toEqual(seen.toSorted(([a, one], [b, other]) => (a === b ? other - one : a < b ? 1 : -1)));
    const other = await call('list', {
      collectionName: 'orders',
      fields: ['id', 'status'],
      ...args,
      sort: '-status',
      cursor: first.page.nextCursor,
    });
    expect(JSON.stringify(other)).toContain('REQUEST_INVALID');
  });

  it('lose no record of a view in which several have one key', async () => {
    const call = await mcpCaller(await start('create view shares as select 1 as id, ref from orders;'));
    const refs: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { collectionName: 'shares', pagination: { size: 1 }, ...(cursor ? { cursor } : {}) };
      const { structured } = await call('list', args);
      const { records, page } = structured as { records: { ref: string }[]; page: { nextCursor?: string } };
      refs.push(...records.map(({ ref }) => ref));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(refs.toSorted()).toEqual(['A-1', 'A-2', 'A-3', 'A-4']);
  });

  it('leave out whole records that do not fit, say so, and go on with them', async () => {
    const call = await mcpCaller(await start(manyRows));
    const args = { collectionName: 'numbers', pagination: { size: 100 }, maxBytes: 8_000 };
    const { structured, text } = await call('list', args);
    const { page, records } = structured as {
      page: { returned: number; nextCursor: string };
      records: { id: number }[];
    };
    expect(page).toMatchObject({ truncated: true, hasMore: true, returned: records.length });
    expect(structured).toHaveProperty('notes', [expect.stringContaining('do not fit into 8000 bytes')]);
    expect(Buffer.byteLength(text)).toBeLessThan(8_000);
    const next = await call('list', { ...args, cursor: page.nextCursor });
    expect(next.structured).toMatchObject({ records: [{ id: page.returned + 1 }, {}, {}, {}, {}, {}, {}, {}, {}] });
  });

  it('give no cursor where not even one record fits', async () => {
    const call = await mcpCaller(await start(wideTable));
    const { structured } = await call('list', { collectionName: 'wide', fields: ['c0'], maxBytes: 4_000 });
    expect(structured).toEqual({
      records: [],
      page: { number: 1, size: 15, returned: 0, hasMore: true, truncated: true },
      notes: ['1 more records of this page do not fit into 4000 bytes: name fewer fields, or raise maxBytes.'],
    });
    const one = await call('getRecord', { collectionName: 'wide', recordId: 1, fields: ['c0'], maxBytes: 4_000 });
    expect(one.error).toMatchObject({ code: 'REQUEST_UNPROCESSABLE' });
  });

  it('refuse sizes that are not a number of records', async () => {
    const call = await mcpCaller(await start());
    for (const size of [0, -1, 101, 1e9, 1.5, 'NaN']) {
      const { error } = await call('list', { collectionName: 'orders', pagination: { size } });
      expect(error).toMatchObject({ code: 'REQUEST_INVALID', message: expect.stringContaining('pagination.size') });
    }
    const { structured } = await call('list', { collectionName: 'orders', pagination: { size: null } });
    expect(structured).toMatchObject({ page: { size: 15 } });
  });

  it('refuse a cursor of another list, and one beside a page number', async () => {
    const call = await mcpCaller(await start(manyRows));
    const { structured } = await call('list', { collectionName: 'numbers', pagination: { size: 1 } });
    const { nextCursor: cursor } = (structured as { page: { nextCursor: string } }).page;
    const refused = [
      { collectionName: 'orders' },
      { filters: { field: 'id', operator: 'GreaterThan', value: 3 } },
      { sort: { field: 'note' } },
      { search: 'x' },
      { timezone: 'Europe/Paris' },
      { pagination: { number: 2 } },
      { cursor: `${cursor}x` },
    ];
    for (const more of refused) {
      const { error } = await call('list', { collectionName: 'numbers', cursor, ...more });
      expect([more, error?.code]).toEqual([more, 'REQUEST_INVALID']);
    }
    const other = await call('list', { collectionName: 'numbers', cursor, fields: ['id'], pagination: { size: 3 } });
    expect(other.structured).toMatchObject({ records: [{ id: 2 }, { id: 3 }, { id: 4 }] });
  });
});

describe('the fields of a list', () => {
  it('are the columns, of many the key, those that name a record and the first ones', async () => {
    const call = await mcpCaller(await start(wideTable));
    const { structured } = await call('list', { collectionName: 'wide' });
    const { records, notes } = structured as { records: Record<string, unknown>[]; notes: string[] };
    expect(Object.keys(records[0] ?? {})).toHaveLength(20);
    expect(records[0]).toMatchObject({ id: 1, full_name: 'Ada' });
    expect(records[0]).not.toHaveProperty('c29');
    expect(notes).toEqual([expect.stringMatching(/^Left out.* c18, .* photo\.$/)]);
    const orders = await call('list', { collectionName: 'orders' });
    expect(orders.structured).not.toHaveProperty('notes');
  });

  it('hold previews of long values, and more of them where they are named', async () => {
    const call = await mcpCaller(await start(wideTable));
    const { structured } = await call('getRecord', { collectionName: 'wide', recordId: 1 });
    expect(structured).toMatchObject({
      record: { c0: { preview: 'x'.repeat(1_000), length: 3_000 }, photo: { length: 705 } },
    });
    const named = await call('list', { collectionName: 'wide', fields: ['c0'] });
    expect(named.structured).toMatchObject({ records: [{ c0: 'x'.repeat(3_000) }] });
  });
});
