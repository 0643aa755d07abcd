import { readdir, readFile, stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';
import { execa } from 'execa';
import { beforeAll, describe, expect, it } from 'vitest';
import { type InstalledPackage, installedPackage } from '../helpers/installed-package.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const repository = path.resolve(import.meta.dirname, '../..');

let installed: InstalledPackage;
let files: readonly string[];

beforeAll(async () => {
  installed = installedPackage();
  const names = await readdir(installed.root, { recursive: true, withFileTypes: true });
  files = names
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(installed.root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    // A dependency in another version than the one beside the package is put below it, and commands keep there what they compile.
    .filter((file) => !/^(?:node_modules|\.compile-cache)\//.test(file))
    .sort();
});

const below = (folder: string) => files.filter((file) => file.startsWith(folder));

describe('the tarball', () => {
  it('holds the product and nothing else', () => {
    expect(files.filter((file) => !/^(dist|docs|templates)\//.test(file))).toEqual([
      'LICENSE',
      'README.md',
      'bin/vendor-cloud.js',
      'deploy/ci.sh',
      'deploy/comment-plan.js',
      'deploy/github-workflow.yml',
      'deploy/vendor-cloud-host.service',
      'deploy/vendor-cloud-platform.service',
      'oclif.manifest.json',
      'package.json',
      'schemas/command-line.json',
      'schemas/dashboard.json',
      'schemas/permissions.json',
      'schemas/project.json',
    ]);
  });

  it('holds code and the types of what it exports, without sources, source maps and tests', () => {
    const all = below('dist/').filter((file) => !file.startsWith('dist/licenses') && !file.endsWith('.cdx.json'));
    const folders = [...new Set(all.map((file) => file.split('/')[1]))];
    expect(folders).toEqual(['chunks', 'cli', 'commands', 'console', 'exports', 'platform', 'runtime']);
    const code = all.filter((file) => !file.startsWith('dist/console/'));
    expect(code.filter((file) => !/\.(js|d\.ts)$/.test(file) || /\.(test|spec|bench)\./.test(file))).toEqual([]);
    expect(code.filter((file) => file.endsWith('.d.ts') && !file.startsWith('dist/exports/'))).toEqual([]);
  });

  it('holds every module that the product starts on its own', async () => {
    const sources = (await readdir(path.join(repository, 'src'), { recursive: true })).filter((file) =>
      file.endsWith('.ts'),
    );
    const texts = await Promise.all(sources.map((file) => readFile(path.join(repository, 'src', file), 'utf8')));
    const started = texts.flatMap((text) => [...text.matchAll(/moduleUrl\('#([^']+)'\)/g)].map(([, name]) => name));
    expect(started).toContain('cli/check-for-update');
    expect(started.filter((name) => !files.includes(`dist/${name}.js`))).toEqual([]);
  });

  it('brings the console, compressed, whose first screen takes 150 kB', async () => {
    const page = await readFile(path.join(installed.root, 'dist/console/index.html'), 'utf8');
    const first = [...page.matchAll(/(?:src|href)="\/console\/(assets\/[^"]+)" integrity="sha384-[^"]+"/g)].map(
      ([, file]) => file,
    );
    expect(first.length).toBeGreaterThan(1);
    const sizes = await Promise.all(first.map((file) => stat(path.join(installed.root, `dist/console/${file}.gz`))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(150_000);
    const scripts = first.filter((file) => file?.endsWith('.js'));
    expect(scripts).toHaveLength(1);
    const script = await readFile(path.join(installed.root, `dist/console/${scripts[0]}`), 'utf8');
    expect(script).toMatch(/^\/\/# allFunctionsCalledOnLoad\n/);
    const licences = await readFile(path.join(installed.root, 'dist/licenses.txt'), 'utf8');
    for (const name of ['react', 'react-dom', '@tanstack/react-router', 'uplot', '@codemirror/view']) {
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  it('names every package that the build put into the code, for scanners and with its licence', async () => {
    const code = below('dist/').filter((file) => file.endsWith('.js'));
    const texts = await Promise.all(code.map((file) => readFile(path.join(installed.root, file), 'utf8')));
    const beginning = /^\/\/ .*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//gm;
    const inside = new Set(texts.flatMap((text) => [...text.matchAll(beginning)].map(([, name = '']) => name)));
    const bill = JSON.parse(await readFile(path.join(installed.root, 'dist/packages.cdx.json'), 'utf8'));
    const components: readonly Record<string, string>[] = bill.components;
    const licences = await readFile(path.join(installed.root, 'dist/licenses.txt'), 'utf8');
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(inside.size).toBeGreaterThan(100);
    expect([...inside].filter((name) => !components.some((each) => each['name'] === name))).toEqual([]);
    for (const { name, version, purl } of components) {
      expect(licences).toContain(`${name} ${version} (`);
      expect(purl).toBe(`pkg:npm/${String(name).replace('@', '%40')}@${version}`);
    }
  });

  it('holds every page of the documentation that a message or the README names', async () => {
    const texts = [...below('dist/').filter((file) => file.endsWith('.js')), 'README.md'];
    const code = await Promise.all(texts.map((file) => readFile(path.join(installed.root, file), 'utf8')));
    const named = code.flatMap((text) => [...text.matchAll(/docs\/[a-z-]+\.md/g)].map(([page]) => page));
    expect(named.length).toBeGreaterThan(0);
    expect([...new Set(named)].filter((page) => !files.includes(page))).toEqual([]);
  });

  it('imports only packages that it names, since others may be hidden from it', async () => {
    const modules = [...below('bin/'), ...below('dist/')].filter((file) => file.endsWith('.js'));
    const { metafile } = await build({
      stdin: { contents: modules.map((file) => `import './${file}';`).join('\n'), resolveDir: installed.root },
      bundle: true,
      write: false,
      metafile: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
    });
    const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
      imports.filter(({ external }) => external),
    );
    const names = new Set(imported.flatMap(({ path: name }) => (isBuiltin(name) ? [] : [packageNameOf(name)])));
    const { dependencies, peerDependencies } = JSON.parse(
      await readFile(path.join(installed.root, 'package.json'), 'utf8'),
    );
    const named = Object.keys({ ...dependencies, ...peerDependencies });
    expect(names).toContain('better-sqlite3');
    expect([...names].filter((name) => !named.includes(name))).toEqual([]);
  });

  it('refers to no source map', async () => {
    const code = await Promise.all(below('dist/').map((file) => readFile(path.join(installed.root, file), 'utf8')));
    const reference = /^\/\/# sourceMappingURL=/m;
    expect(below('dist/').filter((_, index) => reference.test(code[index] ?? ''))).toEqual([]);
  });

  it('holds the templates whole, with the names under which npm leaves them in', () => {
    expect(below('templates/')).toEqual([
      'templates/blank/AGENTS.md',
      'templates/blank/README.md',
      'templates/blank/env',
      'templates/blank/gitignore',
      'templates/blank/package.json',
      'templates/blank/spec/customization.spec.ts',
      'templates/blank/src/index.ts',
      'templates/blank/test/agent.test.ts',
      'templates/blank/tsconfig.json',
      'templates/blank/vendor-cloud.json',
      'templates/shop/AGENTS.md',
      'templates/shop/README.md',
      'templates/shop/env',
      'templates/shop/gitignore',
      'templates/shop/package.json',
      'templates/shop/schema.sql',
      'templates/shop/spec/customers.spec.ts',
      'templates/shop/src/index.ts',
      'templates/shop/test/customers.test.ts',
      'templates/shop/tsconfig.json',
      'templates/shop/vendor-cloud.json',
    ]);
  });

  it('runs as the command that npm links', async () => {
    const { version } = JSON.parse(await readFile(path.join(installed.root, 'package.json'), 'utf8'));
    const link = path.join(installed.folder, 'node_modules/.bin/vendor-cloud');
    const env = { PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env['PATH']}` };
    const { stdout, stderr } = await execa(link, ['--version'], { cwd: installed.folder, env });
    expect(stdout).toBe(`@vendor/cloud/${version} ${process.platform}-${process.arch} node-${process.version}`);
    expect(stderr).toBe('');
  });

  it('passes the checks of package authors', { tags: 'long' }, async () => {
    const folder = await temporaryFolder();
    // What was installed, packed again: the same content, in a file that no other test rewrites.
    await execa('npm', ['pack', installed.root, '--ignore-scripts', '--pack-destination', folder], { cwd: folder });
    const [tarball = ''] = await readdir(folder);
    const options = { cwd: folder, preferLocal: true, localDir: repository, env: { NO_COLOR: '1' } };
    const lint = await execa('publint', ['run', path.join(folder, tarball), '--strict'], options);
    expect(lint.stdout).toContain('All good!');
    const profile = ['--profile', 'esm-only', '--no-definitely-typed', '--format', 'ascii', '--no-emoji'];
    const types = await execa('attw', [path.join(folder, tarball), ...profile], options);
    const { exports } = JSON.parse(await readFile(path.join(installed.root, 'package.json'), 'utf8'));
    expect(types.stdout.match(/^node16 \(from ESM\): OK/gm)).toHaveLength(Object.keys(exports).length);
    expect(types.stdout.match(/^bundler: OK/gm)).toHaveLength(Object.keys(exports).length);
  });
});

/** `@scope/name` of `@scope/name/part`. */
function packageNameOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
