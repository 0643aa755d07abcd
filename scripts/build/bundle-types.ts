import { globSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { type OutputChunk, rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** The packages whose types the exported ones are made of. */
const inside = ['zod'];

/**
 * Write the declarations of what the package exports in few files, with those of packages that they use: a project that compiles
 * against them needs no other package than the types of Node.js.
 *
 * @returns the files that they were made from.
 */
export async function bundleTypes(root: string): Promise<readonly string[]> {
  const declared = path.join(root, '.tmp', `types-${process.pid}`);
  try {
    const parameters = ['-p', 'tsconfig.build.json', '--outDir', declared];
    await execa('tsc', parameters, { cwd: root, preferLocal: true, stdio: 'inherit' });
    const bundle = await rolldown({
      input: Object.fromEntries(
        globSync('exports/*.d.ts', { cwd: declared }).map((file) => [
          file.replace('.d.ts', ''),
          path.join(declared, file),
        ]),
      ),
      plugins: [
        {
          name: 'declarations',
          resolveId: { order: 'pre', handler: (name, from) => declarationOf(declared, name, from) },
        },
        dts({ dtsInput: true, generator: 'oxc', sourcemap: false, tsconfig: path.join(root, 'tsconfig.build.json') }),
      ],
    });
    const { output } = await bundle.write({
      dir: path.join(root, 'dist'),
      entryFileNames: '[name].d.ts',
      chunkFileNames: 'exports/types/[name]-[hash].d.ts',
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    for (const chunk of chunks) refuseOtherPackages(chunk);
    return chunks.flatMap(({ moduleIds }) => moduleIds).filter((file) => !file.startsWith(declared));
  } finally {
    rmSync(declared, { recursive: true, force: true });
  }
}

/** Where the declarations of a module are. Those of most packages are not asked for: nothing of them is exported. */
function declarationOf(declared: string, name: string, from: string | undefined) {
  if (name.startsWith('#')) return `${path.join(declared, name.slice(1))}.d.ts`;
  if (from !== undefined && name.startsWith('.'))
    return path.resolve(path.dirname(from), name).replace(/\.[jt]s$/, '.d.ts');
  if (inside.includes(name)) return fileURLToPath(import.meta.resolve(name)).replace(/\.js$/, '.d.ts');
  return from === undefined ? undefined : { id: name, external: true };
}

function refuseOtherPackages({ fileName, code }: OutputChunk): void {
  const names = [...code.matchAll(/^(?:import|export) .*?from "([^"]+)";$/gm)].flatMap(([, name = '']) => name);
  const wrong = names.filter((name) => !/^(?:\.|node:)/.test(name));
  if (wrong.length > 0) throw new Error(`${fileName} needs the types of ${wrong.join(', ')}.`);
}
