import path from 'node:path';
import type { BuildFailure, Message } from 'esbuild';
import { cloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from './code-frame.ts';
import { nativeModule } from './outside-modules.ts';
import { packageOf } from './package-sizes.ts';

/** What esbuild rejected with as `BUILD_FAILED`, `BUILD_TOP_LEVEL_AWAIT` or `BUILD_MODULE_MISSING`, with the place. Any other error comes back as it is. */
export async function buildErrorOf(fs: FileSystem, root: string, failure: unknown): Promise<unknown> {
  if (!isBuildFailure(failure)) return failure;
  const [first] = failure.errors;
  const others = failure.errors.length > 1 ? ` (and ${failure.errors.length - 1} more)` : '';
  // esbuild gives this refusal no identifier of its own; the format it names does not occur in other messages.
  const isTopLevelAwait = first?.text.startsWith('Top-level await') === true;
  const location = first ? await locate(fs, root, first) : undefined;
  const native = first && nativeFile.exec(first.text)?.[1];
  if (native !== undefined) {
    const { message, nextStep } = nativeModule(packageOf(native) ?? native);
    const place = location ? { location } : {};
    return cloudError('BUILD_MODULE_MISSING', message, nextStep, { ...place, cause: failure });
  }
  return cloudError(
    isTopLevelAwait ? 'BUILD_TOP_LEVEL_AWAIT' : 'BUILD_FAILED',
    `The customization code does not compile: ${first?.text ?? failure.message}${others}.`,
    isTopLevelAwait
      ? 'Move the await into the exported function; it may be async.'
      : 'Correct the place shown and save.',
    { ...(location ? { location } : {}), cause: failure },
  );
}

/** esbuild gives this refusal no identifier either. */
const nativeFile = /^No loader is configured for "\.node" files: (.+)$/;

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

async function locate(fs: FileSystem, root: string, message: Message) {
  if (!message.location) return undefined;
  const file = path.resolve(root, message.location.file);
  const { line, lineText, column: bytesBefore } = message.location;
  const column = Buffer.from(lineText).subarray(0, bytesBefore).toString().length + 1;
  const source = await fs.readText(file);
  return { file, line, column, ...(source === null ? {} : { frame: codeFrame(source, line, column) }) };
}
