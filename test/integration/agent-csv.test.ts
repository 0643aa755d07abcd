import { request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '#node/sqlite/sqlite-connection';
import type { Agent } from '#runtime/index';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

const columns = 'fields[orders]=ref,total,placed_at,customer&fields[customer]=name';

async function add(agent: ShopAgent, count: number): Promise<void> {
  const connection = await openSqlite(agent.databaseUri.replace('sqlite:', ''));
  connection.execute(
    `with recursive n(i) as (select 100 union all select i + 1 from n where i < ${99 + count})
     insert into orders select i, 'N-' || i, 'paid', i % 7, null, 1 from n`,
  );
  connection.close();
}

/** The body and what came after it. */
function withTrailers(agent: ShopAgent, target: string) {
  return new Promise<{ text: string; trailers: unknown; isComplete: boolean }>((resolve, reject) => {
    const url = `${agent.agentUrl}${target}&timezone=UTC`;
    request(url, { headers: { authorization: `Bearer ${agent.token}`, te: 'trailers' } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.once('close', () => resolve({ text, trailers: response.trailers, isComplete: response.complete }));
    })
      .once('error', reject)
      .end();
  });
}

describe('CSV exports', () => {
  it.each(['/a b/ç.csv', '/a%20b/%C3%A7.csv', '/a%20b%2F%C3%A7.csv'])(
    'are of collections with a slash in their names, at %s',
    async (target) => {
      const agent = await startShopAgent();
      const { status, text, headers } = await call(agent, `${target}?fields[a b/ç]=id,label&header=Id,Label`);
      expect([status, text]).toEqual([200, 'Id,Label\n1,odd\n']);
      expect(headers.get('content-disposition')).toBe('attachment; filename="_.csv"; filename*=UTF-8\'\'%C3%A7.csv');
    },
  );

  it('hold a line of titles and one for each record, relations in columns', async () => {
    const agent = await startShopAgent();
    const { status, text, headers } = await call(
      agent,
      `/orders.csv?${columns}&header=Ref,Total,At,Name&filename=äh&sort=-id`,
    );
    expect(status).toBe(200);
    expect(text).toBe(
      'Ref,Total,At,Name\nA-4,40.00,,\nA-3,,,Ünal\nA-2,20.00,2024-05-01T10:00:00.000Z,Zed\nA-1,10.50,2024-04-01T10:00:00.000Z,Zed\n',
    );
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="_h.csv"; filename*=UTF-8''%C3%A4h.csv`);
  });

  it('exports of one person take turns, a batch each', async () => {
    const reading = { now: 0, most: 0 };
    const customize = (agent: Agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addField('slow', {
          columnType: 'String',
          dependencies: ['ref'],
          getValues: async (records) => {
            reading.now++;
            reading.most = Math.max(reading.most, reading.now);
            await wait(1);
            reading.now--;
            return records.map(({ ref }) => `${ref}`);
          },
        }),
      );
    const agent = await startShopAgent(customize);
    await add(agent, 2500);
    const target = '/orders.csv?fields[orders]=slow&header=Slow';
    const exports = await Promise.all([1, 2, 3, 4].map(() => call(agent, target)));
    expect(exports.map(({ text }) => text.trim().split('\n').length)).toEqual([2505, 2505, 2505, 2505]);
    expect(reading.most).toBe(1);
  });

  it('read many records in batches, each record once, and end with their number', async () => {
    const agent = await startShopAgent();
    await add(agent, 2500);
    for (const sort of ['', '&sort=-total', '&sort=customer.name,total']) {
      const { text, trailers } = await withTrailers(agent, `/orders.csv?fields[orders]=id&header=Id${sort}`);
      const ids = text.trim().split('\n').slice(1);
      expect(new Set(ids).size).toBe(2504);
      expect(ids).toHaveLength(2504);
      expect(trailers).toEqual({ 'x-service-record-count': '2504' });
    }
  });

  it('hold every record of a table without a key, whatever they are sorted by', async () => {
    const agent = await startShopAgent();
    const connection = await openSqlite(agent.databaseUri.replace('sqlite:', ''));
    connection.execute(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
       insert into events select '2024-05-01T10:00:00.000Z', 'e' || (i % 1250) from n`,
    );
    connection.close();
    for (const sort of ['', '&sort=at', '&sort=-at']) {
      const { text, trailers } = await withTrailers(agent, `/events.csv?fields[events]=text&header=Text${sort}`);
      const rows = text.trim().split('\n').slice(1);
      expect(rows).toHaveLength(2501);
      expect(new Set(rows).size).toBe(1251);
      expect(trailers).toEqual({ 'x-service-record-count': '2501' });
    }
  });

  it('cut the connection instead of ending where they break in the middle', async () => {
    let rows = 0;
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addField('fragile', {
          columnType: 'Number',
          dependencies: ['id'],
          getValues: (records) => {
            rows += records.length;
            if (rows > 1500) throw new Error('worn out');
            return records.map(() => 1);
          },
        }),
      );
    });
    await add(agent, 2500);
    const { isComplete, trailers } = await withTrailers(agent, '/orders.csv?fields[orders]=fragile&header=F');
    expect(isComplete).toBe(false);
    expect(trailers).toEqual({});
  });

  it('need titles for their columns', async () => {
    const agent = await startShopAgent();
    for (const header of ['', '&header=', '&header=a,b', '&header=[1]', '&header=["a"']) {
      const { status, text } = await call(agent, `/orders.csv?fields[orders]=ref${header}`);
      expect({ header, status, isNamed: text.includes('header') }).toEqual({ header, status: 400, isNamed: true });
    }
  });

  it('read nothing when only their head is asked for, or the client is gone before there is anything', async () => {
    let batches = 0;
    let reading = Promise.withResolvers<void>();
    const slow = (shop: Agent) =>
      void shop.customizeCollection('orders', (orders) =>
        orders.addField('slow', {
          columnType: 'Number',
          dependencies: ['id'],
          getValues: async (records) => {
            batches += 1;
            reading.resolve();
            await wait(200);
            return records.map(() => 1);
          },
        }),
      );
    const agent = await startShopAgent(slow);
    batches = 0;
    const target = '/orders.csv?fields[orders]=slow&header=Slow';
    const head = await call(agent, target, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/csv; charset=utf-8', '']);
    expect(batches).toBe(0);
    reading = Promise.withResolvers<void>();
    const client = new AbortController();
    const answer = fetch(`${agent.agentUrl}${target}&timezone=UTC`, {
      signal: client.signal,
      headers: { authorization: `Bearer ${agent.token}` },
    });
    await reading.promise;
    client.abort();
    await expect(answer).rejects.toThrow();
    await agent.runtime.stop(5_000);
    expect(agent.log).toEqual([]);
  });
});
