import type { FileSystem } from '../ports/file-system.ts';

/** Write a generated file only when its text changes, so that watchers do not start for nothing. */
export async function writeWhenChanged(fs: FileSystem, file: string, text: string): Promise<boolean> {
  if ((await fs.readText(file)) === text) return false;
  await fs.writeAtomically(file, text);
  return true;
}
