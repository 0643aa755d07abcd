import path from 'node:path';
import { expect, it } from 'vitest';
import { checkTypes, typeError } from '#flows/check/check-types';
import type { ScriptEnd } from '#kernel/ports/programs';
import { nodeFileSystem as fs } from '#node/files/node-file-system';
import { temporaryFolder } from '../../../helpers/temporary-folder.ts';
import { writeFiles } from '../../../helpers/write-files.ts';

const { signal } = new AbortController();

/** A project with a compiler that ends as told. */
async function check(end: ScriptEnd | undefined) {
  const root = await temporaryFolder();
  await writeFiles(root, {
    'tsconfig.json': '{}',
    'node_modules/typescript/bin/tsc': '',
    'src/a (1).ts': 'const a: number = "x";\n',
  });
  const programs = { start: () => Promise.reject(new TypeError('unused')), runScript: async () => end };
  return { root, problems: await checkTypes({ fs, programs }, root, { signal }) };
}

it('a check of types ends with an error for each place', async () => {
  const stdout =
    "src/a (1).ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\r\n  More of it.\r\n";
  const { root, problems } = await check({ exitCode: 2, stdout });
  expect(problems?.map(typeError)).toMatchObject([
    {
      code: 'BUILD_TYPES_WRONG',
      message: "Type 'string' is not assignable to type 'number'.\n  More of it. (TS2322)",
      location: { file: path.join(root, 'src/a (1).ts'), line: 1, column: 7, frame: expect.stringContaining('> 1 |') },
    },
  ]);
});

it('a check of types that ends badly without an error says what the compiler printed', async () => {
  expect((await check({ exitCode: 139, stdout: 'Segmentation fault' })).problems).toMatchObject([
    { message: 'Segmentation fault' },
  ]);
  expect((await check({ exitCode: 1, stdout: '' })).problems).toMatchObject([
    { message: 'The compiler ended with 1.' },
  ]);
  expect((await check({ exitCode: 0, stdout: '' })).problems).toEqual([]);
});

it('a check of types finds nothing wrong with code where the compiler cannot keep what it remembers', async () => {
  const unwritten =
    "error TS5033: Could not write file '/shop/.vendor-cloud/types.tsbuildinfo': ENOSPC: no space left on device.\n";
  expect((await check({ exitCode: 2, stdout: unwritten })).problems).toEqual([]);
  const wrong = "src/a (1).ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n";
  expect((await check({ exitCode: 2, stdout: wrong + unwritten })).problems).toMatchObject([{ code: 'TS2322' }]);
});

it('a check of types finds nothing where no compiler is installed, or it is ended', async () => {
  expect(
    await checkTypes({ fs, programs: { start: async () => Promise.reject(), runScript: async () => undefined } }, '/', {
      signal,
    }),
  ).toBeNull();
  expect((await check(undefined)).problems).toBeNull();
});
