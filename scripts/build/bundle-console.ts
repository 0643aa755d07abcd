import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

/** What is worth compressing beforehand. */
const compressible = /\.(?:js|css|html|svg)$/;

/**
 * Write the console to `dist/console`: files with the hash of their content in their names, beside them their compressed forms, and
 * a page that names its script with a digest.
 *
 * @returns the files of packages that it was made from.
 */
export async function bundleConsole(root: string): Promise<readonly string[]> {
  const used = new Set<string>();
  const outDir = path.join(root, 'dist/console');
  await build({
    root: path.join(root, 'src/console'),
    configFile: false,
    base: '/console/',
    logLevel: 'warn',
    resolve: { conditions: ['vendor-source', 'module', 'browser', 'production'] },
    plugins: [react(), noteModules(used)],
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      sourcemap: false,
      // What two screens share comes with the first one: few requests, and nothing is loaded twice.
      rolldownOptions: {
        checks: { pluginTimings: false },
        output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] } },
      },
    },
  });
  nameDigests(outDir);
  compressFiles(outDir);
  return [...used].map((file) => path.relative(root, file));
}

function noteModules(used: Set<string>): Plugin {
  return {
    name: 'note-modules',
    moduleParsed: ({ id }) => {
      const [file = ''] = id.split('?');
      if (path.isAbsolute(file)) used.add(file);
    },
  };
}

/** Browsers run the script of the page, and take its style sheet, only as they were built. */
function nameDigests(outDir: string): void {
  const page = path.join(outDir, 'index.html');
  const html = readFileSync(page, 'utf8').replaceAll(
    /(?<attribute>src|href)="\/console\/(?<file>assets\/[^"]+)"/g,
    (all, _attribute: string, file: string) => {
      const digest = createHash('sha384')
        .update(readFileSync(path.join(outDir, file)))
        .digest('base64');
      return `${all} integrity="sha384-${digest}"`;
    },
  );
  writeFileSync(page, html);
}

function compressFiles(outDir: string): void {
  for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
    if (!compressible.test(name)) continue;
    const file = path.join(outDir, name);
    const content = readFileSync(file);
    writeFileSync(`${file}.br`, brotliCompressSync(content));
    writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
  }
}
