import path from 'node:path';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { firstFrame } from './call-site.ts';

/** The topmost place of the user's own code in the stack of an error, or `undefined` when there is none. */
export function locateInProject(error: unknown, projectRoot: string | undefined): SourceLocation | undefined {
  if (!(error instanceof Error) || projectRoot === undefined) return undefined;
  for (const line of (error.stack ?? '').split('\n')) {
    const frame = firstFrame(line);
    if (frame && isOwnFile(frame.file, projectRoot)) return frame;
  }
  return undefined;
}

function isOwnFile(file: string, projectRoot: string): boolean {
  const relative = path.relative(projectRoot, file);
  return !relative.startsWith('..') && !path.isAbsolute(relative) && !relative.split(path.sep).includes('node_modules');
}
