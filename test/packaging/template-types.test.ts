import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installedPackage } from '../helpers/installed-package.ts';

const tsc = path.resolve(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let folder: string;
let entry: string;
let source: string;

beforeAll(async () => {
  const { bin } = installedPackage();
  folder = await realpath(await mkdtemp(path.join(tmpdir(), 'vendor-cloud-test-')));
  await execa(process.execPath, [bin, 'bootstrap', 'shop', '--template', 'shop', '--no-install'], { cwd: folder });
  entry = path.join(folder, 'shop/src/index.ts');
  source = await readFile(entry, 'utf8');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** The errors of the compiler in the scaffolded shop, under its own settings, declarations of the package included. */
async function compile(code: string): Promise<string[]> {
  await writeFile(entry, code);
  const { stdout } = await execa(process.execPath, [tsc, '--project', '.', '--pretty', 'false'], {
    cwd: path.join(folder, 'shop'),
    reject: false,
  });
  return stdout.split('\n').filter((line) => /^\S/.test(line));
}

describe('the scaffolded shop, with the installed package', () => {
  it('compiles under strict settings that check declaration files too', async () => {
    const settings = await readFile(path.join(folder, 'shop/tsconfig.json'), 'utf8');
    expect(settings).toMatch(/"strict": true/);
    expect(settings).not.toMatch(/skipLibCheck/);
    expect(await compile(source)).toEqual([]);
  });

  it.each([
    [
      'field in the dependencies',
      "'first_name', 'last_name', 'tier'",
      "'frist_name', 'last_name', 'tier'",
      'frist_name',
    ],
    ['field of a record', '`${reference}, ', '`${reference}${reference.tottal}, ', 'tottal'],
    ['field of a relation', "'customer:full_name'", "'customer:ful_name'", 'ful_name'],
    ['field in a segment', "field: 'status'", "field: 'statsu'", 'statsu'],
    ['field that an action reads', "getRecords(['total'", "getRecords(['totl'", 'totl'],
    ['collection', "customizeCollection('orders'", "customizeCollection('oders'", 'oders'],
    ['operator', "operator: 'Blank'", "operator: 'Blnk'", 'Blnk'],
  ])('finds a misspelt %s', async (_what, right, wrong, name) => {
    expect(source).toContain(right);
    const errors = await compile(source.replace(right, wrong));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors[0]).toMatch(/^src\/index\.ts\(\d+,\d+\): error TS\d+/);
    expect(errors.join('\n')).toContain(name);
  });
});
