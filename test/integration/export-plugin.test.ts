import { strFromU8, unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/exports/index.ts';
import { type ExportRecordsOptions, exportRecords } from '../../src/exports/plugin-export.ts';
import { startShopTestAgent } from '../helpers/shop-test-agent.ts';

const columns = [
  'id',
  'customer:name',
  { field: 'total', title: '=Total', format: '#,##0.00' },
  { field: 'placed_at', title: 'Placed' },
];

/** Export orders of a shop, for somebody in Tokyo. */
async function exported(recordIds: readonly number[], values: object, options: Partial<ExportRecordsOptions> = {}) {
  const customize = (agent: Agent): void => {
    agent.customizeCollection('orders', (orders) => orders.use(exportRecords, { columns, ...options }));
  };
  const { client } = await startShopTestAgent({ customize, timezone: 'Asia/Tokyo' });
  const action = await client.collection('orders').action('Export', { recordIds });
  await action.setFields({ ...values });
  const file = await action.execute();
  if (file.type !== 'file') throw new Error(`The action answered with "${file.type}".`);
  return file;
}

describe('the export of records', () => {
  it('is CSV, in the time zone of the caller, without formulas', async () => {
    const file = await exported([1, 3, 4], { Format: 'csv' }, { fileName: 'orders' });
    expect(file.name).toBe('orders.csv');
    expect(Buffer.from(file.content).toString()).toBe(
      "\uFEFFid,customer:name,'=Total,Placed\n1,Zed,10.5,2024-04-01 19:00:00\n3,Ünal,,\n4,,40,\n",
    );
  });

  it('is a workbook with numbers and dates that a spreadsheet calculates with', async () => {
    const { mimeType, content } = await exported([1, 2], { Format: 'xlsx' });
    expect(mimeType).toContain('spreadsheetml');
    const files = unzipSync(content);
    const sheet = strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    // 1 April 2024, 19:00 is this many days after the first day of spreadsheets.
    expect(sheet).toContain('<v>45383.791666');
    expect(sheet).toMatch(/<v>10\.5<\/v>/);
    expect(strFromU8(files['xl/styles.xml'] ?? new Uint8Array())).toContain('#,##0.00');
  });

  it('has a bound, and says so', async () => {
    const refused = exported([1, 2], {}, { maxRecords: 1 });
    await expect(refused).rejects.toThrow('2 records are selected; a file holds 1.');
  });

  it.each([
    [['reference', 'customer:nmae'], 'The action "Export" of "orders" reads "customer:nmae"', 'Did you mean "name"?'],
    [[{ field: 'totl' }], 'The action "Export" of "orders" reads "totl"', 'Did you mean "total"?'],
    [['customer'], 'The action "Export" of "orders" reads "customer"', 'relation'],
  ])('is checked when the code is loaded: %j', async (wrong, problem, hint) => {
    const failure = await exported([1], {}, { columns: wrong }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'CUSTOMIZATION_INVALID', message: expect.stringContaining(problem) });
    expect(failure).toMatchObject({ message: expect.stringContaining(hint) });
  });

  it.each([
    [{ columns: [] }, 'needs "columns"'],
    [{ formats: ['pdf'] as never }, 'are "xlsx" and "csv"'],
  ])('refuses %j', async (options, reason) => {
    await expect(exported([1], {}, options)).rejects.toThrow(reason);
  });
});
