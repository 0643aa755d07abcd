import type { FileSystem } from '../ports/file-system.ts';

/** Write a generated file unless it says the same already, so that nothing that watches it wakes up for nothing. */
export async function writeWhenChanged(fs: FileSystem, file: string, text: string): Promise<boolean> {
  if ((await fs.readText(file)) === text) return false;
  await fs.writeAtomically(file, text);
  return true;
}
