import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isCloudError } from '#kernel/errors/cloud-error';
import { nodeFileSystem } from '#node/files/node-file-system';
import { readDashboards } from '../../../src/project/read-dashboards.ts';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

async function read(text: string) {
  const root = await temporaryFolder();
  await writeFiles(root, { 'dashboards/sales.json': text });
  return readDashboards(nodeFileSystem, [path.join(root, 'dashboards/sales.json')]);
}

async function faultOf(text: string) {
  const error: unknown = await read(text).then(
    () => undefined,
    (refusal: unknown) => refusal,
  );
  return isCloudError(error) ? [error.code, error.location?.line, error.message] : error;
}

describe('dashboards of a project', () => {
  it('are named by their file, with the line of each chart', async () => {
    const text = '{ "title": "Sales",\n  "charts": [\n  { "chart": "A" },\n\n  { "chart": "B" }] }';
    const charts = [{ chart: 'A' }, { chart: 'B' }];
    expect(await read(text)).toEqual([{ name: 'sales', title: 'Sales', charts, lines: [3, 5] }]);
  });

  it('are refused with the line of what is wrong', async () => {
    expect(await faultOf('{ "title": "Sales",\n  "charts": [,] }')).toEqual([
      'DASHBOARD_INVALID',
      2,
      expect.stringMatching(/^dashboards\/sales\.json is not JSON: /),
    ]);
    expect(await faultOf('{ "title": "Sales",\n  "chart": [] }')).toEqual([
      'DASHBOARD_INVALID',
      1,
      expect.stringMatching(/^dashboards\/sales\.json is not valid\. charts: /),
    ]);
    expect(await faultOf('{ "title": "Sales", "charts": [\n{ "chart": "A", "titel": "B" }] }')).toEqual([
      'DASHBOARD_INVALID',
      2,
      expect.stringContaining('"titel" is unknown here. Did you mean "title"?'),
    ]);
  });

  it('leave out a file that is gone', async () => {
    expect(await readDashboards(nodeFileSystem, ['/nowhere/dashboards/sales.json'])).toEqual([]);
  });
});
