import { readFile, symlink } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';
import { DevProcess } from '../../helpers/dev-process.ts';
import { type Ready, ServedProject } from './served-project.ts';

const typescript = path.resolve(import.meta.dirname, '../../../node_modules/typescript');

/** Create the sample shop and serve it with `dev`. */
export async function bootstrapAndServe(bin: string, folder: string): Promise<ServedProject> {
  const words = ['bootstrap', 'shop', '--template', 'shop', '--no-install', '--json'];
  const { stdout } = await execa(process.execPath, [bin, ...words], { cwd: folder });
  const { path: root } = JSON.parse(stdout) as { readonly path: string };
  // What an installation brings beside the package itself; it would need a registry.
  await symlink(typescript, path.join(root, 'node_modules/typescript'));
  const dev = new DevProcess(bin, ['dev', '--agent-port', '0', '--sandbox-port', '0', '--mcp-port', '0'], {
    cwd: root,
  });
  // A step that fails ends this program, and the session must not outlive it.
  process.on('exit', () => dev.child.kill('SIGKILL'));
  const ready = (await dev.next('ready')) as unknown as Ready;
  const template = await readFile(path.join(root, 'src/index.ts'), 'utf8');
  return new ServedProject({ bin, root, dev, ready, template });
}
