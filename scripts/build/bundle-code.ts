import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { leftOut } from './left-out.ts';
import { wholePackages } from './whole-packages.ts';

/**
 * Packages of CommonJS call these, which a module has not by itself. What a driver finds only where a user installed it beside this
 * package (`kerberos`, `pg-native`) is found from here.
 */
const namesOfCommonJs = `import { createRequire as $createRequire } from 'node:module';
const require = $createRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/**
 * Write the code in few files, because Node.js spends more time on finding and opening a file than on its code. Packages go into
 * it, except for those that users install beside it: the dependencies, and what is loaded where it is there.
 *
 * @param entries relative to `root`.
 * @returns the files that the code was made from.
 */
export async function bundleCode(root: string, entries: readonly string[]): Promise<readonly string[]> {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly peerDependencies: Readonly<Record<string, string>>;
  };
  const outside = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: [...entries],
    outbase: 'src',
    outdir: 'dist',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    // The library of keychains looks for the code of its system, which is installed where it is needed.
    external: [...outside, '@napi-rs/keyring-*', '*.node'],
    plugins: [leftOut, wholePackages],
    // Its main file looks for its parts by itself.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    banner: { js: namesOfCommonJs },
    conditions: ['vendor-source'],
    format: 'esm',
    platform: 'node',
    target: 'node22',
    // Those of packages are in the list of packages.
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  const used = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
  return [...new Set(used)];
}
