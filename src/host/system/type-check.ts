import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { errnoOf } from '../files/file-errors.ts';
import { runProgram } from './run-program.ts';

/**
 * What the TypeScript compiler of a project says of it, one line an error; an empty text where nothing is wrong. `null` where no
 * compiler is installed for it.
 *
 * @param stateFile Where the compiler keeps what it found, so that the next check is about what has changed.
 */
export async function checkTypes(folder: string, stateFile: string): Promise<string | null> {
  const compiler = await findCompiler(folder);
  if (compiler === null) return null;
  const parameters = [
    compiler,
    '--noEmit',
    '--pretty',
    'false',
    '--project',
    folder,
    '--incremental',
    '--tsBuildInfoFile',
    stateFile,
  ];
  const { stdout, stderr, exitCode } = await runProgram(process.execPath, parameters, { cwd: folder });
  if (exitCode === 0) return '';
  return stdout || stderr || `The compiler ended with ${exitCode}.`;
}

/** The compiler as the code of the folder would find it. */
async function findCompiler(folder: string): Promise<string | null> {
  const { resolve } = createRequire(path.join(folder, 'package.json'));
  try {
    const file = resolve('typescript/package.json');
    const { bin } = JSON.parse(await readFile(file, 'utf8')) as { readonly bin: { readonly tsc: string } };
    return path.resolve(path.dirname(file), bin.tsc);
  } catch (error) {
    if (errnoOf(error) === 'MODULE_NOT_FOUND') return null;
    throw error;
  }
}
