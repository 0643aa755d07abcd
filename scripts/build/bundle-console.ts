import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { build, type Plugin, type Rolldown } from 'vite';

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
    resolve: {
      conditions: ['vendor-source', 'module', 'browser', 'vendor-browser', 'production'],
      // React has this hook by itself since version 18.
      alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' },
    },
    css: { modules: { generateScopedName: shortClassNames(path.join(root, 'src/console')) } },
    plugins: [react(), noteModules(used)],
    worker: { plugins: () => [noteModules(used)] },
    build: {
      outDir,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      sourcemap: false,
      rolldownOptions: {
        checks: { pluginTimings: false },
        output: {
          // One file for all that the first screen runs, and one for what later screens share: few requests, and nothing is loaded twice.
          codeSplitting: {
            groups: [
              { name: (id, modules) => (isLoadedFirst(id, modules) ? 'first' : null), priority: 1 },
              { name: 'later', minShareCount: 2 },
            ],
          },
        },
      },
    },
  });
  hintAtCompilation(outDir);
  nameDigests(outDir);
  compressFiles(outDir);
  return [...used].map((file) => path.relative(root, file));
}

/** The name that a class has in its style sheet, and one character for the sheet. A digest in each would cost half a kilobyte. */
function shortClassNames(folder: string): (name: string, file: string) => string {
  const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.module.css'))
    .toSorted()
    .map((name) => path.join(folder, name));
  return (name, file) => {
    const sheet = sheets.indexOf(file.split('?')[0] ?? file).toString(36);
    if (sheet.length !== 1)
      throw new Error(`${file} is not a style sheet of the console, or one too many for a character.`);
    return `${name}${sheet}`;
  };
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

/** Parts of packages that only later screens use, though the file that all of a package is exported from names them. */
const usedLater = /[/\\](?:useBlocker|use(?:InfiniteQuery|Mutation)|(?:infiniteQuery|mutation)Observer)\.js$/;

/** Whether the page loads a module with itself: nothing on the way to it is imported by `import()`. */
function isLoadedFirst(id: string, modules: Rolldown.ChunkingContext): boolean {
  if (usedLater.test(id)) return false;
  const seen = new Set([id]);
  for (const module of seen) {
    const info = modules.getModuleInfo(module);
    if (info?.isEntry) return true;
    for (const importer of info?.importers ?? []) seen.add(importer);
  }
  return false;
}

/** Browsers then compile its functions in another thread while the file arrives, and not one by one when they are called. */
const compileHint = '//# allFunctionsCalledOnLoad\n';

function hintAtCompilation(outDir: string): void {
  const html = readFileSync(path.join(outDir, 'index.html'), 'utf8');
  for (const [, name = ''] of html.matchAll(/<script [^>]*src="\/console\/([^"]+)"/g)) {
    const file = path.join(outDir, name);
    writeFileSync(file, compileHint + readFileSync(file, 'utf8'));
  }
}

/** Browsers run the script of the page, and take its style sheet, only as they were built. */
function nameDigests(outDir: string): void {
  const page = path.join(outDir, 'index.html');
  const html = readFileSync(page, 'utf8').replaceAll(
    /(?<attribute>src|href)="\/console\/(?<file>assets\/[^"]+\.(?:js|css))"/g,
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
