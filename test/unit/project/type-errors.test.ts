import path from 'node:path';
import { expect, it } from 'vitest';
import { nodeFileSystem } from '#node/files/node-file-system';
import { readTypeErrors } from '#project/type-errors';
import { temporaryFolder } from '../../helpers/temporary-folder.ts';
import { writeFiles } from '../../helpers/write-files.ts';

it('the output of the compiler is read with its places, their lines, and the reasons', async () => {
  const root = await temporaryFolder();
  await writeFiles(root, { 'src/index.ts': 'const one: string = 1;\n' });
  const output = [
    "src/index.ts(1,7): error TS2322: Type 'number' is not assignable to type 'string'.",
    '  The reason of it.',
    'src/gone.ts(3,1): error TS1005: Unexpected.',
    "error TS18003: No inputs were found in config file 'tsconfig.json'.",
    '',
  ].join('\n');
  const [first, second, third, ...others] = await readTypeErrors(nodeFileSystem, root, output);
  expect(first).toMatchObject({
    file: path.join(root, 'src/index.ts'),
    line: 1,
    column: 7,
    code: 'TS2322',
    message: "Type 'number' is not assignable to type 'string'.\n  The reason of it.",
    frame: expect.stringContaining('> 1 | const one: string = 1;'),
  });
  expect(second).toEqual({
    file: path.join(root, 'src/gone.ts'),
    line: 3,
    column: 1,
    code: 'TS1005',
    message: 'Unexpected.',
  });
  expect(third).toMatchObject({ file: path.join(root, 'tsconfig.json'), code: 'TS18003' });
  expect(others).toEqual([]);
});
