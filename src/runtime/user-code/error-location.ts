import path from 'node:path';
import type { SourceLocation } from '#kernel/errors/cloud-error';
import { firstFrame } from './call-site.ts';

/** Where the user's own code is at the top of the stack of an error, or `undefined` when it is nowhere in it. */
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
