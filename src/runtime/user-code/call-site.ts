import path, { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { packageRoot } from '#node/system/package-files';

const frame = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/;

/** The place is the topmost frame, or lies below a few of this package. Each frame costs half a microsecond. */
const keptFrames = 4;

/** The folders of this package's files: its sources, and the built files. */
const ownFolders = ['src', 'dist'].map((name) => path.join(packageRoot, name, sep));
/** Another copy of the package, or one that a source map names. */
const asDependency = `${sep}node_modules${sep}@vendor${sep}cloud${sep}`;

/**
 * The place that some code was called from. The place is looked up on demand, because there are thousands of call sites and
 * few are ever needed. Read it before the code is replaced, because its source map tells the place.
 */
export class CallSite {
  readonly #trace: { readonly stack?: string } = {};

  /** @param callee The function that is running; the place is where somebody called it. */
  constructor(callee: (...parameters: never[]) => unknown) {
    const { stackTraceLimit } = Error;
    // Code that froze Error keeps its limit.
    const isLimited = Reflect.set(Error, 'stackTraceLimit', keptFrames);
    Error.captureStackTrace(this.#trace, callee);
    if (isLimited) Error.stackTraceLimit = stackTraceLimit;
  }

  /** The place in the file that the user wrote, when source maps are on; absent when the stack does not tell. */
  get location(): SourceLocation | undefined {
    return firstFrame(this.#trace.stack ?? '');
  }
}

/** The topmost place of a stack trace that is in a file of somebody else than this package, or `undefined`. */
export function firstFrame(stack: string): SourceLocation | undefined {
  for (const line of stack.split('\n')) {
    const [, place, row, column] = frame.exec(line) ?? [];
    if (place === undefined || place.startsWith('node:') || place.includes('<anonymous>')) continue;
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (ownFolders.some((folder) => file.startsWith(folder)) || file.includes(asDependency)) continue;
    return { file, line: Number(row), column: Number(column) };
  }
  return undefined;
}
