import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Agent } from '#runtime/index';
import { platformOfRole } from '../helpers/role-platform.ts';
import { call, type ShopAgent, startShopAgent } from '../helpers/shop-agent.ts';

/** The parts of a workbook by their paths. */
async function workbook(agent: ShopAgent, target: string) {
  const response = await fetch(`${agent.agentUrl}${target}&timezone=Asia/Tokyo`, {
    headers: { authorization: `Bearer ${agent.token}` },
  });
  expect(response.status).toBe(200);
  const parts = unzipSync(new Uint8Array(await response.arrayBuffer()));
  const part = (path: string) => strFromU8(parts[path] ?? new Uint8Array());
  return { headers: response.headers, part, sheet: part('xl/worksheets/sheet1.xml') };
}

/** The cells of a sheet, row by row: their texts and numbers. */
function rowsOf(sheet: string): string[][] {
  return [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c(?:\/>|[^>]*>(.*?)<\/c>)/gs)].map(([, cell = '']) => cell.replace(/<[^>]*>/g, '')),
  );
}

const numbers = `
  CREATE TABLE odd (id INTEGER PRIMARY KEY, text TEXT, big BIGINT, price DECIMAL(12,2), day DATE, at DATETIME);
  INSERT INTO odd VALUES
    (1, '=1+1', 9007199254740993, 12, '2024-03-31', '2024-03-31T10:00:00.250Z'),
    (2, '<b>&' || char(1) || '_x0041_', 5, 326.5, '0001-01-01', '2024-03-31T10:00:00.123Z'),
    (3, printf('%.32767c', 'x'), NULL, NULL, NULL, NULL);`;

describe('a workbook of records', () => {
  it('has real numbers and dates where a spreadsheet keeps them exactly, and texts where it does not', async () => {
    const agent = await startShopAgent(undefined, {}, numbers);
    const target = '/odd.xlsx?fields[odd]=text,big,price,day,at&header=Text,Big,Price,Day,At&sort=id';
    const { sheet, headers, part } = await workbook(agent, target);
    const [titles, first, second, third] = rowsOf(sheet);
    expect(titles).toEqual(['Text', 'Big', 'Price', 'Day', 'At']);
    // 31 March 2024 is this many days after the first day of spreadsheets. The clock in Tokyo is nine hours ahead.
    expect(first).toEqual(['=1+1', '9007199254740993', '12', '45382', String(45382 + 19 / 24 + 250 / 86_400_000)]);
    expect(second).toEqual(['&lt;b&gt;&amp;_x0001__x005F_x0041_', '5', '326.5', '0001-01-01', '45382.79166809028']);
    expect(third?.[0]).toHaveLength(32_767);
    expect(third?.slice(1)).toEqual(['', '', '', '']);
    expect(sheet).not.toContain('<f>');
    expect(sheet).toMatch(/<c s="7"><v>326\.5<\/v>/);
    expect(part('xl/styles.xml')).toContain('formatCode="0.00"');
    expect(part('xl/workbook.xml')).toContain('<sheet name="odd"');
    expect(headers.get('content-type')).toContain('spreadsheetml.sheet');
    expect(headers.get('content-disposition')).toContain('filename="odd.xlsx"');
  });

  it('is refused for a text that no cell holds, with its column and record', async () => {
    const long =
      "CREATE TABLE long (id INTEGER PRIMARY KEY, text TEXT); INSERT INTO long VALUES (1, 'a'), (2, printf('%.32768c', 'x'));";
    const agent = await startShopAgent(undefined, {}, long);
    const { status, json } = await call(agent, '/long.xlsx?fields[long]=id,text&header=Id,Text&sort=id');
    expect(status).toBe(422);
    expect(json).toMatchObject({
      errors: [
        {
          code: 'EXPORT_TOO_LARGE',
          detail:
            'A workbook cannot hold the text in "Text" of record 2: it has 32768 characters, and a cell 32767 at most.',
        },
      ],
    });
    expect((await call(agent, '/long.csv?fields[long]=id,text&header=["Id","Text"]&sort=id')).status).toBe(200);
  });

  it('holds thousands of records, each once, those of a relation too, and none', async () => {
    const many = `INSERT INTO orders (id, ref, customer_id)
      WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2599) SELECT i, 'N-' || i, 2 FROM n;`;
    const agent = await startShopAgent(undefined, {}, many);
    const all = rowsOf((await workbook(agent, '/orders.xlsx?fields[orders]=id&header=Id')).sheet).flat();
    expect([all.length, new Set(all).size]).toEqual([2_505, 2_505]);
    const related = '/customers/1/relationships/orders.xlsx?fields[orders]=ref&header=Ref&sort=id';
    expect(rowsOf((await workbook(agent, related)).sheet)).toEqual([['Ref'], ['A-1'], ['A-2']]);
    const none = await workbook(agent, '/orders.xlsx?fields[orders]=ref&header=Ref&search=nothing-like-it');
    expect(rowsOf(none.sheet)).toEqual([['Ref']]);
  });

  it('needs the right to export, and is refused before its first byte where it has no room', async () => {
    const rights = { browseEnabled: true, readEnabled: true };
    const reader = await startShopAgent(undefined, { platform: platformOfRole({ rights: { orders: rights } }) });
    const target = '/orders.xlsx?fields[orders]=ref&header=Ref';
    expect((await call(reader, target)).status).toBe(403);
    const tooMany = `CREATE TABLE big (id INTEGER PRIMARY KEY);
      INSERT INTO big WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1048576) SELECT i FROM n;`;
    const agent = await startShopAgent(undefined, {}, tooMany);
    const { status, text } = await call(agent, '/big.xlsx?fields[big]=id&header=Id');
    expect([status, text]).toEqual([422, expect.stringContaining('EXPORT_TOO_LARGE')]);
  });

  it('is not confused with a collection called ….xlsx', async () => {
    const agent = await startShopAgent(
      (shop: Agent) => void shop,
      {},
      'CREATE TABLE "x.xlsx" (id INTEGER PRIMARY KEY);',
    );
    expect((await call(agent, '/x.xlsx')).json).toMatchObject({ data: [] });
  });
});
