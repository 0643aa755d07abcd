import { fileURLToPath } from 'node:url';
import type { SourceLocation } from '#kernel/errors/cloud-error';

const frame = /^\s*at (?:.*\()?(.+?):(\d+):(\d+)\)?$/;

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

/** The topmost place of a stack trace that is in a file, or `undefined`. */
export function firstFrame(stack: string): SourceLocation | undefined {
  for (const line of stack.split('\n')) {
    const [, file, row, column] = frame.exec(line) ?? [];
    if (file === undefined || file.startsWith('node:') || file.includes('<anonymous>')) continue;
    return {
      file: file.startsWith('file:') ? fileURLToPath(file) : file,
      line: Number(row),
      column: Number(column),
    };
  }
  return undefined;
}
