import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeWhenChanged } from '#kernel/files/write-when-changed';
import { nodeFileSystem as fs } from '#node/files/node-file-system';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';

it('a generated file is written when its lines change, and not for the line ends that git gave it on Windows', async () => {
  const file = path.join(await temporaryFolder(), 'typings.d.ts');
  expect(await writeWhenChanged(fs, file, 'a\nb\n')).toBe(true);
  expect(await writeWhenChanged(fs, file, 'a\nb\n')).toBe(false);
  await writeFile(file, 'a\r\nb\r\n');
  expect(await writeWhenChanged(fs, file, 'a\nb\n')).toBe(false);
  expect(await writeWhenChanged(fs, file, 'a\nc\n')).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('a\nc\n');
});
