import path from 'node:path';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { ScriptInput } from '#kernel/ports/programs';
import { findCompiler, readTypeErrors, type TypeProblem } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** Beside the state of the local platform, which git ignores. What the compiler remembers makes the next check a quick one. */
const memory = '.vendor-cloud/types.tsbuildinfo';
/** What the compiler says of a file that it cannot write. */
const unwritten = 'TS5033';

/**
 * What the TypeScript compiler of a project finds wrong in its files, in the compiler's order. `null` where no compiler is installed
 * or the project has no `tsconfig.json`, and where `signal` ended the check.
 */
export async function checkTypes(
  { fs, programs }: Pick<FlowContext, 'fs' | 'programs'>,
  root: string,
  { signal, isBackground }: Pick<ScriptInput, 'signal' | 'isBackground'>,
): Promise<readonly TypeProblem[] | null> {
  const script = await findCompiler(fs, root);
  if (script === null || signal.aborted) return null;
  const settings = ['--noEmit', '--pretty', 'false', '--incremental', '--tsBuildInfoFile', path.join(root, memory)];
  const end = await programs.runScript({ script, parameters: settings, folder: root, signal, isBackground });
  if (!end) return null;
  const told = await readTypeErrors(fs, root, end.stdout);
  // A full disk, or a folder that may only be read, is not a fault of the code.
  const problems = told.filter(({ code, message }) => code !== unwritten || !message.includes(path.basename(memory)));
  if (end.exitCode === 0 || told.length > 0) return problems;
  return readTypeErrors(fs, root, `error TS0: ${end.stdout.trim() || `The compiler ended with ${end.exitCode}.`}`);
}

/** What the compiler says of a place, as an error of a check. */
export function typeError({ code, message, ...location }: TypeProblem): CloudError {
  return cloudError(
    'BUILD_TYPES_WRONG',
    `${message} (${code})`,
    'Correct the place shown. Where the database has changed: vendor-cloud update-typings',
    { location },
  );
}
