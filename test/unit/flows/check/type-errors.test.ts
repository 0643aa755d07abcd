import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { typeErrors } from '#flows/check/type-errors';
import { nodeFileSystem } from '#host/files/node-file-system';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

describe('what the compiler of types printed', () => {
  it('becomes an error with its place for each, without the lines that go on about it', async () => {
    const root = await temporaryFolder();
    await writeFiles(root, { 'src/a (1).ts': 'const a: number = "x";\n' });
    const output = [
      `src/a (1).ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.`,
      '  More about it.',
      'error TS5023: Unknown compiler option.',
    ].join('\r\n');
    expect(await typeErrors(nodeFileSystem, root, output)).toMatchObject([
      {
        code: 'BUILD_TYPES_WRONG',
        message: "Type 'string' is not assignable to type 'number'. (TS2322)",
        location: {
          file: path.join(root, 'src/a (1).ts'),
          line: 1,
          column: 7,
          frame: expect.stringContaining('> 1 |'),
        },
      },
      { message: 'Unknown compiler option. (TS5023)', location: undefined },
    ]);
  });

  it('is one error where nobody knows its form, and none where it is empty', async () => {
    expect(await typeErrors(nodeFileSystem, '/', 'Segmentation fault')).toMatchObject([
      { message: 'Segmentation fault' },
    ]);
    expect(await typeErrors(nodeFileSystem, '/', '\n')).toEqual([]);
  });
});
