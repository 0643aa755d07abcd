import { readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import type { Metafile } from 'esbuild';
import { parse } from 'jsonc-parser';
import { isFile, isFolder } from '#node/files/fingerprint';
import type { BundledProject } from './bundle.ts';

/** All that a build depends on, as absolute paths. It may be more than esbuild has looked at, and is never less. */
export interface BuildPaths {
  /** Where it matters what lies there: the content of a file, or that there is none. */
  readonly places: readonly string[];
  /** Where it matters which names there are: a new file could be found before another one. */
  readonly folders: readonly string[];
}

/** What decides how the modules of a folder are found, in that folder or in one above it. */
const settingsFiles = ['package.json', 'tsconfig.json', 'jsconfig.json'];
const plugAndPlayFiles = ['.pnp.cjs', '.pnp.js', '.pnp.data.json'];

const ownPackage = /^@vendor\/cloud(?:\/|$)/;

/** What a build depends on. `undefined` for one with something in it whose way to its files is not known here. */
export function pathsOfBuild(metafile: Metafile, { root, entry }: BundledProject): BuildPaths | undefined {
  const search = new PathSearch();
  search.addBase(entry);
  for (const [name, { imports }] of Object.entries(metafile.inputs)) {
    const file = path.resolve(root, name);
    search.addInput(file);
    for (const { path: found, original, external } of imports) {
      search.addImport(file, original ?? found, external ? undefined : path.resolve(root, found));
    }
  }
  return search.isCertain ? search.paths() : undefined;
}

/** What decides which package a name stands for, seen from a folder. */
export function pathsOfPackage(from: string, name: string): BuildPaths {
  const search = new PathSearch();
  search.addPackage(from, name);
  return search.paths();
}

/** Walks the ways that esbuild takes from an import to a file, and takes down each turn. */
class PathSearch {
  readonly #places = new Set<string>();
  readonly #folders = new Set<string>();
  readonly #walked = new Set<string>();
  /** Whether each turn is known. */
  isCertain = true;

  paths(): BuildPaths {
    return { places: [...this.#places], folders: [...this.#folders] };
  }

  /** A file that is part of the build. */
  addInput(file: string): void {
    if (!isFile(file)) this.isCertain = false;
    this.#places.add(file);
    const folder = path.dirname(file);
    if (this.#isFirst('inputs in', folder)) this.#addInputFolder(folder);
  }

  #addInputFolder(folder: string): void {
    this.#folders.add(folder);
    const above = foldersUpwards(folder);
    for (const each of above) this.#addSettingsOf(each);
    // esbuild does not read the settings of installed packages.
    if (folder.split(path.sep).includes('node_modules')) return;
    const settings = above.flatMap((each) => ['tsconfig.json', 'jsconfig.json'].map((name) => path.join(each, name)));
    const nearest = settings.find(isFile);
    if (nearest) this.#addTypeScriptSettings(nearest);
  }

  #addSettingsOf(folder: string): void {
    if (!this.#isFirst('settings of', folder)) return;
    for (const name of settingsFiles) this.#places.add(path.join(folder, name));
    for (const name of plugAndPlayFiles) {
      const file = path.join(folder, name);
      this.#places.add(file);
      if (isFile(file)) this.isCertain = false;
    }
  }

  /** @param found the file that the module was found in; `undefined` for what stays outside. */
  addImport(from: string, module: string, found: string | undefined): void {
    if (ownPackage.test(module) || /^(?:node|data|https?):/.test(module)) return;
    const folder = path.dirname(from);
    // A pattern stands for files of any folder.
    if (module.includes('*')) this.isCertain = false;
    if (/^\.{0,2}(?:\/|$)/.test(module) || path.isAbsolute(module)) this.addBase(path.resolve(folder, module));
    else if (module.startsWith('#')) this.#addPrivateName(folder);
    else {
      const isInstalled = this.addPackage(folder, module, found);
      // It is there, and esbuild has not taken it: only esbuild knows which of its files it looked for.
      if (!found && isInstalled && !isBuiltin(module)) this.isCertain = false;
    }
  }

  /** What `./name` may stand for: `name`, `name.ts`, `name/index.ts`, and what the manifest in `name` says. */
  addBase(base: string): void {
    if (!this.#isFirst('base', base)) return;
    this.#places.add(base);
    this.#folders.add(path.dirname(base));
    if (!isFolder(base)) return;
    this.#folders.add(base);
    const manifest = path.join(base, 'package.json');
    this.#places.add(manifest);
    const { main, module } = readObject(manifest);
    for (const named of [main, module]) if (typeof named === 'string') this.addBase(path.resolve(base, named));
  }

  /**
   * What the name of a package may stand for, seen from a folder.
   *
   * @returns whether such a package is installed.
   */
  addPackage(from: string, module: string, found?: string): boolean {
    const [first = '', second = ''] = module.split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    let isInstalled = false;
    for (const folder of foldersUpwards(from)) {
      const installed = path.join(folder, 'node_modules');
      this.#folders.add(installed);
      this.addBase(path.join(installed, name));
      this.addBase(path.join(installed, module));
      if (!isFolder(path.join(installed, name))) continue;
      isInstalled = true;
      if (found?.startsWith(realpathSync.native(path.join(installed, name)) + path.sep)) break;
    }
    return isInstalled;
  }

  /** `#name`, which the nearest manifest tells the meaning of. */
  #addPrivateName(from: string): void {
    const home = foldersUpwards(from).find((folder) => isFile(path.join(folder, 'package.json')));
    if (!home || !this.#isFirst('private names of', home)) return;
    for (const target of textsIn(readObject(path.join(home, 'package.json'))['imports'])) {
      if (target.startsWith('./')) continue;
      if (target.includes('*')) this.isCertain = false;
      else if (!isBuiltin(target)) this.addPackage(home, target);
    }
  }

  /** The settings of TypeScript, and those that they extend. */
  #addTypeScriptSettings(file: string): void {
    if (!this.#isFirst('TypeScript settings', file)) return;
    this.#places.add(file);
    const { extends: parents, compilerOptions } = readObject(file);
    if (typeof compilerOptions === 'object' && compilerOptions !== null) {
      // They lead an import to any place.
      if ('paths' in compilerOptions || 'baseUrl' in compilerOptions) this.isCertain = false;
    }
    for (const parent of textsIn(parents)) {
      const isPath = parent.startsWith('.') || path.isAbsolute(parent);
      const bases = isPath
        ? [path.resolve(path.dirname(file), parent)]
        : foldersUpwards(path.dirname(file)).map((folder) => path.join(folder, 'node_modules', parent));
      if (!isPath) this.#addSettingsPackage(path.dirname(file), parent);
      for (const base of bases) {
        for (const candidate of [base, `${base}.json`, path.join(base, 'tsconfig.json')]) {
          this.#places.add(candidate);
          if (isFile(candidate)) this.#addTypeScriptSettings(candidate);
        }
      }
    }
  }

  #addSettingsPackage(from: string, module: string): void {
    this.addPackage(from, module);
    const [first = '', second = ''] = module.split('/');
    const name = first.startsWith('@') ? `${first}/${second}` : first;
    for (const folder of foldersUpwards(from)) {
      const manifest = readObject(path.join(folder, 'node_modules', name, 'package.json'));
      if ('exports' in manifest || 'tsconfig' in manifest) this.isCertain = false;
    }
  }

  #isFirst(what: string, place: string): boolean {
    const key = `${what} ${place}`;
    if (this.#walked.has(key)) return false;
    this.#walked.add(key);
    return true;
  }
}

/** A folder and all above it, the nearest first. */
export function foldersUpwards(folder: string): readonly string[] {
  const above = path.dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpwards(above)];
}

/** What a file of settings says; nothing where it is not an object or is not there. */
function readObject(file: string): Readonly<Record<string, unknown>> {
  if (!isFile(file)) return {};
  const value: unknown = parse(readFileSync(file, 'utf8'));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** Every text in a value, however deep. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
