import { readFile } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import path from 'node:path';
import { expect, it } from 'vitest';
import { build } from '#flows/build/build';
import { push } from '#flows/push/push';
import { sha256Hex } from '#node/system/digest';
import { startPushingProject } from '../helpers/pushing-project.ts';

it('a build writes what a push sends, the same each time, and its source map finds the lines', async () => {
  const { context, root, write } = await startPushingProject();
  await write('export const first = 1;\nexport default () => void first;\n');
  const { files, manifest, contentDigest } = await build(context, { folder: root });
  const code = await readFile(files.code);
  expect(sha256Hex(code)).toBe(manifest.code.digest);
  expect(JSON.parse(await readFile(files.manifest, 'utf8'))).toMatchObject({ ...manifest, contentDigest });
  const map = new SourceMap(JSON.parse(await readFile(files.sourceMap, 'utf8')) as SourceMapPayload);
  const line = code
    .toString()
    .split('\n')
    .findIndex((text) => text.includes('void first'));
  expect(map.findEntry(line, 0)).toMatchObject({ originalSource: 'src/index.ts', originalLine: 1 });

  const again = await build(context, { folder: root, out: path.join(root, 'elsewhere') });
  expect(again).toMatchObject({ contentDigest, files: { code: path.join(root, 'elsewhere/customization.cjs') } });
  const { version } = await push(context, { folder: root, message: '', isDeployed: true });
  expect(version).toMatchObject({ digest: manifest.code.digest, contentDigest });
});
