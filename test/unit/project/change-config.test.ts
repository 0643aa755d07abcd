import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { nodeFileSystem as fs } from '#node/files/node-file-system';
import { addDataSource, setServerUrl } from '#project/index';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

/** Made by an editor of Windows: a byte order mark, and `\r\n` behind each line. */
const config = '\uFEFF{\r\n  "name": "shop",\r\n  "dataSources": { "main": { "uri": "${MAIN}" } }\r\n}\r\n';

async function windowsProject() {
  const root = await temporaryFolder();
  await writeFiles(root, { 'vendor-cloud.json': config, '.env': 'MAIN=sqlite:./app.sqlite\r\n', 'src/index.ts': '' });
  return { root, read: (file: string) => readFile(path.join(root, file), 'utf8') };
}

it('a setting is written with the line ends of Windows where the file has them', async () => {
  const { root, read } = await windowsProject();
  await setServerUrl(fs, root, 'https://platform.example.com');
  const written = await read('vendor-cloud.json');
  expect(JSON.parse(written)).toMatchObject({ name: 'shop', serverUrl: 'https://platform.example.com' });
  expect(written.replaceAll('\r\n', '')).not.toContain('\n');
});

it('a data source and its variable are written with the line ends of Windows, and taken back to the byte', async () => {
  const { root, read } = await windowsProject();
  const variable = { name: 'ARCHIVE', value: 'postgres://localhost/archive' };
  const takeBack = await addDataSource(fs, root, { name: 'archive', source: { uri: '${ARCHIVE}' }, variable });
  expect(await read('.env')).toBe("MAIN=sqlite:./app.sqlite\r\nARCHIVE='postgres://localhost/archive'\r\n");
  expect((await read('vendor-cloud.json')).replaceAll('\r\n', '')).not.toContain('\n');
  await takeBack();
  expect(await read('vendor-cloud.json')).toBe(config);
  expect(await read('.env')).toBe('MAIN=sqlite:./app.sqlite\r\n');
});
