import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { nodeFileSystem } from '#node/files/node-file-system';
import { openProject } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

const config = (value: unknown) => ({ 'vendor-cloud.json': JSON.stringify(value), 'src/index.ts': '' });
const valid = { name: 'shop', dataSources: { main: { uri: 'sqlite:./shop.sqlite' } } };

async function open(files: Record<string, string>, variables: Record<string, string> = {}, below = '') {
  const folder = await temporaryFolder();
  await writeFiles(folder, files);
  return openProject(nodeFileSystem, path.join(folder, below), variables);
}

describe('openProject', () => {
  it('finds the project from a folder inside it, and makes SQLite paths absolute', async () => {
    const project = await open(config(valid), {}, 'src');
    expect(project.config).toMatchObject({ name: 'shop', entry: 'src/index.ts', typings: 'typings.d.ts' });
    expect(project.dataSources).toEqual({ main: { uri: `sqlite:${path.join(project.root, 'shop.sqlite')}` } });
  });

  it('fills in variables, the process before the .env file', async () => {
    const files = {
      ...config({ ...valid, dataSources: { main: { uri: 'sqlite:/data/${NAME}.sqlite' } } }),
      '.env': 'NAME=file\n',
    };
    expect((await open(files)).dataSources).toEqual({ main: { uri: 'sqlite:/data/file.sqlite' } });
    expect((await open(files, { NAME: 'process' })).dataSources).toEqual({
      main: { uri: 'sqlite:/data/process.sqlite' },
    });
  });

  it('takes what a data source keeps in its columns', async () => {
    const kept = {
      softDelete: { orders: 'deleted_at', lines: false },
      timestamps: { orders: { updated: 'updated_at' } },
    };
    const files = config({ ...valid, dataSources: { main: { uri: 'sqlite:/data/file.sqlite', ...kept } } });
    expect((await open(files)).dataSources).toEqual({ main: { uri: 'sqlite:/data/file.sqlite', ...kept } });
    const wrong = config({ ...valid, dataSources: { main: { uri: 'sqlite:/data/file.sqlite', softDelete: true } } });
    await expect(open(wrong)).rejects.toMatchObject({ code: 'PROJECT_CONFIG_INVALID' });
  });

  it('fills in the variables of replicas, and keeps their settings', async () => {
    const main = {
      uri: '${DATABASE_URL}',
      replicas: { uris: ['postgres://${HOST}/shop'], allowStaleReads: true },
    };
    const files = {
      ...config({ ...valid, dataSources: { main } }),
      '.env': 'HOST=db2\nDATABASE_URL=postgres://db1/shop\n',
    };
    expect((await open(files)).dataSources).toEqual({
      main: { uri: 'postgres://db1/shop', replicas: { uris: ['postgres://db2/shop'], allowStaleReads: true } },
    });
    const wrong = config({
      ...valid,
      dataSources: { main: { uri: 'postgres://db1/shop', replicas: ['postgres://db2/shop'] } },
    });
    await expect(open(wrong)).rejects.toMatchObject({ code: 'PROJECT_CONFIG_INVALID' });
  });

  it('refuses a variable that is not set once a database is needed, and not before', async () => {
    const files = config({ ...valid, dataSources: { main: { uri: '${DATABASE_URL}' } } });
    const project = await open(files);
    expect(() => project.dataSources).toThrow(
      expect.objectContaining({
        code: 'PROJECT_VARIABLE_MISSING',
        message: expect.stringContaining('DATABASE_URL'),
      }),
    );
  });

  it('says that there is no project', async () => {
    await expect(open({})).rejects.toMatchObject({ code: 'PROJECT_NOT_FOUND' });
  });

  it('points at the place where the JSON breaks', async () => {
    const error = await open({ 'vendor-cloud.json': '{\n  "name": "shop",\n  "dataSources": {,}\n}' }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({
      code: 'PROJECT_CONFIG_INVALID',
      location: { line: 3, column: 19, frame: expect.stringContaining('> 3 |') },
    });
  });

  it('reads a file that begins with a byte order mark, and counts places without it', async () => {
    const mark = '\uFEFF';
    const files = config(valid);
    const marked = { ...files, 'vendor-cloud.json': `${mark}${files['vendor-cloud.json']}`, '.env': `${mark}A=1\n` };
    const project = await open(marked);
    expect([project.config.name, project.env.get('A')]).toEqual(['shop', '1']);
    await expect(open({ ...marked, 'vendor-cloud.json': `${mark}{,}` })).rejects.toMatchObject({
      location: { line: 1, column: 2 },
    });
  });

  it('points at the end of a file that was cut short', async () => {
    await expect(open({ 'vendor-cloud.json': '{\n  "name": "sh' })).rejects.toMatchObject({
      code: 'PROJECT_CONFIG_INVALID',
      location: { line: 2 },
    });
  });

  it('names every wrong value at once', async () => {
    const error = await open(config({ name: 'My Shop', sources: {} })).catch((thrown: unknown) => String(thrown));
    expect(error).toContain('name:');
    expect(error).toContain('dataSources:');
    expect(error).toContain('sources');
  });

  it('says that the customization code is missing', async () => {
    await expect(open({ 'vendor-cloud.json': JSON.stringify(valid) })).rejects.toMatchObject({
      code: 'PROJECT_ENTRY_MISSING',
    });
  });
});
