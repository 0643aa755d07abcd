import { CloudError, type CloudErrorInput, isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from '#project/index';

/**
 * The same error with the lines around its place, where it names one in a file that can be read.
 *
 * @param loadedAtMs when the code was read that the error is about, in milliseconds since the epoch. A file that was saved since then has
 * other lines, which are not shown. Default: it has not changed.
 */
export async function withCodeFrame(fs: FileSystem, error: unknown, loadedAtMs?: number): Promise<unknown> {
  if (!isCloudError(error) || error.location === undefined || error.location.frame !== undefined) return error;
  const { file, line, column } = error.location;
  const source = await fs.readText(file);
  if (source === null) return error;
  if (loadedAtMs !== undefined && ((await fs.modifiedAtMs(file)) ?? 0) > loadedAtMs) return error;
  const location = { ...error.location, frame: codeFrame(source, line, column) };
  return new CloudError({ ...reportOfError(error), location, cause: error } as CloudErrorInput);
}
