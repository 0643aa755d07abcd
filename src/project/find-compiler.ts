import path from 'node:path';
import type { FileSystem } from '#kernel/ports/file-system';

/**
 * The TypeScript compiler of a project, as the path of its program: the one that is installed in it or in a folder above, as in a
 * workspace. `null` where there is none, or the project has no `tsconfig.json`.
 */
export async function findCompiler(fs: FileSystem, root: string): Promise<string | null> {
  if (!(await fs.exists(path.join(root, 'tsconfig.json')))) return null;
  for (let folder = root; ; folder = path.dirname(folder)) {
    const compiler = path.join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
    if (await fs.exists(compiler)) return compiler;
    if (folder === path.dirname(folder)) return null;
  }
}
