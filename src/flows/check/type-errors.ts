import path from 'node:path';
import { CloudError } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from '#project/index';

/** `src/index.ts(3,7): error TS2322: …`, and lines of the same error, which are indented. */
const errorLine = /^(?<file>.+?)\((?<line>\d+),(?<column>\d+)\): error (?<code>TS\d+): (?<text>.*)$/;
/** An error of the settings has no place. */
const placelessLine = /^error (?<code>TS\d+): (?<text>.*)$/;

/** The errors that the TypeScript compiler printed, in its order, each with the lines around its place. */
export async function typeErrors(fs: FileSystem, root: string, output: string): Promise<readonly CloudError[]> {
  const sources = new Map<string, Promise<string | null>>();
  const read = (file: string) => {
    const source = sources.get(file) ?? fs.readText(file);
    sources.set(file, source);
    return source;
  };
  const errors: CloudError[] = [];
  for (const text of output.split(/\r?\n/)) {
    const placed = errorLine.exec(text)?.groups;
    const placeless = placelessLine.exec(text)?.groups;
    if (placed) errors.push(await placedError(root, placed, read));
    else if (placeless) errors.push(typeError(`${placeless['text']} (${placeless['code']})`));
  }
  return errors.length > 0 || output.trim() === '' ? errors : [typeError(output.trim())];
}

async function placedError(
  root: string,
  groups: Readonly<Record<string, string>>,
  read: (file: string) => Promise<string | null>,
): Promise<CloudError> {
  const file = path.resolve(root, groups['file'] ?? '');
  const [line, column] = [Number(groups['line']), Number(groups['column'])];
  const source = await read(file);
  return typeError(`${groups['text']} (${groups['code']})`, {
    file,
    line,
    column,
    ...(source === null ? {} : { frame: codeFrame(source, line, column) }),
  });
}

function typeError(message: string, location?: CloudError['location']): CloudError {
  return new CloudError({
    code: 'BUILD_TYPES_WRONG',
    message,
    nextSteps: ['Correct the place shown. Where the database has changed: vendor-cloud update-typings'],
    ...(location ? { location } : {}),
  });
}
