import { CloudError, type CloudErrorInput, isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from '#project/index';

/** The same error with the lines around its place, where it names one in a file that can be read. */
export async function withCodeFrame(fs: FileSystem, error: unknown): Promise<unknown> {
  if (!isCloudError(error) || error.location === undefined || error.location.frame !== undefined) return error;
  const { file, line, column } = error.location;
  const source = await fs.readText(file);
  if (source === null) return error;
  const location = { ...error.location, frame: codeFrame(source, line, column) };
  return new CloudError({ ...reportOfError(error), location, cause: error } as CloudErrorInput);
}
