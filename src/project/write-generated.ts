import path from 'node:path';
import { cloudError } from '#kernel/errors/cloud-error';
import { writeWhenChanged } from '#kernel/files/write-when-changed';
import type { FileSystem } from '#kernel/ports/file-system';

/**
 * Write a generated file of a project when its lines change. A project may come from somebody else, and a link in it could lead anywhere.
 *
 * @throws `PROJECT_FILE_LINKED` where the file, or a folder between it and the root, is a link.
 */
export async function writeGenerated(fs: FileSystem, root: string, file: string, text: string): Promise<boolean> {
  await refuseLinks(fs, root, file);
  return writeWhenChanged(fs, file, text);
}

/** @throws `PROJECT_FILE_LINKED` */
export async function refuseLinks(fs: FileSystem, root: string, file: string): Promise<void> {
  const steps = path.relative(root, file).split(path.sep);
  for (const [index] of steps.entries()) {
    const part = path.join(root, ...steps.slice(0, index + 1));
    if (!(await fs.isLink(part))) continue;
    throw cloudError(
      'PROJECT_FILE_LINKED',
      `${part} is a link, and files of a project are written through none.`,
      'Put a file or a folder in the place of the link, or remove it.',
    );
  }
}
