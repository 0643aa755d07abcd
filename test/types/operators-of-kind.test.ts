import path from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { memoryOperatorsOf } from '#runtime/data-sources/memory/memory-schema';
import { primitiveTypes } from '#runtime/query/column-type';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { writeFiles } from '../helpers/write-files.ts';

const repository = path.resolve(import.meta.dirname, '../..');

it('offers for each column type exactly the operators that mean something for it', async () => {
  const folder = await temporaryFolder();
  const checks = primitiveTypes.map((kind) => {
    const operators = [...memoryOperatorsOf(kind)].map((operator) => `'${operator}'`).join(' | ');
    return `export const of${kind}: Same<OperatorsOfKind['${kind}'], ${operators}> = true;\n`;
  });
  await writeFiles(folder, {
    'tsconfig.json': JSON.stringify({
      extends: path.join(repository, 'tsconfig.json'),
      compilerOptions: { rootDir: '/', types: [], rewriteRelativeImportExtensions: false },
      include: ['check.ts'],
    }),
    'package.json': '{ "type": "module" }',
    'check.ts': `import type { OperatorsOfKind } from '${repository}/src/runtime/customizer/field-kind.ts';
type Same<A, B> = [A, B] extends [B, A] ? true : { missing: Exclude<B, A>; extra: Exclude<A, B> };
${checks.join('')}`,
  });
  const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');
  const { stdout } = await execa(process.execPath, [tsc, '--project', folder, '--pretty', 'false'], { reject: false });
  expect(stdout).toBe('');
});
