import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '#kernel/errors/cloud-error';

const frame = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/;

/** Where the files of this package are: its sources, or what is built of them. */
const ownFolder = fileURLToPath(new URL('../../', import.meta.url));
/** Another copy of the package, or one that a source map names. */
const asDependency = `${sep}node_modules${sep}@vendor${sep}cloud${sep}`;

/** Where `callee` was called from, in the file the user wrote when source maps are on. */
export function callSiteOf(callee: (...parameters: never[]) => unknown): SourceLocation | undefined {
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, callee);
  return firstFrame(holder.stack ?? '');
}

/** Where a method was called, ready to be spread into a declaration. */
export function locationOf(method: Parameters<typeof callSiteOf>[0]): { readonly location?: SourceLocation } {
  const location = callSiteOf(method);
  return location ? { location } : {};
}

/** The topmost place of a stack trace that is in a file of somebody else than this package, or `undefined`. */
export function firstFrame(stack: string): SourceLocation | undefined {
  for (const line of stack.split('\n')) {
    const [, place, row, column] = frame.exec(line) ?? [];
    if (place === undefined || place.startsWith('node:') || place.includes('<anonymous>')) continue;
    const file = place.startsWith('file:') ? fileURLToPath(place) : place;
    if (file.startsWith(ownFolder) || file.includes(asDependency)) continue;
    return { file, line: Number(row), column: Number(column) };
  }
  return undefined;
}
