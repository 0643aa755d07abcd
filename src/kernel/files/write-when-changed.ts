import type { FileSystem } from '../ports/file-system.ts';
import { hasSameLines } from '../text/line-ends.ts';

/** Write a generated file only when its lines change, so that watchers do not start for nothing. */
export async function writeWhenChanged(fs: FileSystem, file: string, text: string): Promise<boolean> {
  const before = await fs.readText(file);
  if (before !== null && hasSameLines(before, text)) return false;
  await fs.writeAtomically(file, text);
  return true;
}
