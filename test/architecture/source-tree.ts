import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const repository = path.resolve(import.meta.dirname, '../..');

export interface SourceFile {
  /** From `src/` on, with forward slashes. */
  readonly path: string;
  readonly text: string;
  readonly lines: number;
  readonly imports: readonly string[];
}

const importPattern =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s*'([^']+)'|(?:^|\n)\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'\s*\)|\bimport\('([^']+)'\)/g;

/** Every source file with what it imports: statements, re-exports, dynamic and type imports. */
export function readSources(folder = 'src'): SourceFile[] {
  const root = path.join(repository, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
      const imports = [...code.matchAll(importPattern)].map((match) => match.slice(1).find(Boolean) ?? '');
      return { path: file.split(path.sep).join('/'), text, lines: text.split('\n').length - 1, imports };
    });
}

const staticPattern = /(?:^|\n)(?:import|export)\s(?!type\s)(?:[^;']*?from\s*)?'([^']+)'/g;

/** What is loaded together with a file, before it runs: neither type imports nor what it imports by `import()`. */
export function staticImports({ text }: SourceFile): string[] {
  return [...text.matchAll(staticPattern)].map(([, specifier = '']) => specifier);
}

/** The imports of a file that stay inside `src`, as paths from there, without extension. */
export function internalImports(file: Pick<SourceFile, 'path' | 'imports'>): string[] {
  return file.imports.flatMap((specifier) => {
    if (specifier.startsWith('#')) return [specifier.slice(1)];
    if (specifier.startsWith('.'))
      return [path.posix.join(path.posix.dirname(file.path), specifier).replace(/\.tsx?$/, '')];
    return [];
  });
}

interface Importers {
  readonly inSource: readonly SourceFile[];
  /** How many tests, benchmarks and scripts import the file. */
  readonly outside: number;
}

/** Who imports each file of `src`. */
export function importersOf(sources: readonly SourceFile[]): (file: string) => Importers {
  const inSource = Map.groupBy(
    sources.flatMap((importer) => [...new Set(internalImports(importer))].map((target) => ({ target, importer }))),
    ({ target }) => target,
  );
  const outside = Map.groupBy(
    ['test', 'bench', 'scripts'].flatMap((folder) =>
      readSources(folder).flatMap((file) => [
        ...new Set(internalImports({ ...file, path: `../${folder}/${file.path}` })),
      ]),
    ),
    (target) => target.replace(/^(?:\.\.\/)+src\//, ''),
  );
  return (file) => {
    const target = file.replace(/\.tsx?$/, '');
    return {
      inSource: inSource.get(target)?.map(({ importer }) => importer) ?? [],
      outside: outside.get(target)?.length ?? 0,
    };
  };
}

/** Whether the importer loads a file by `import()` only, so that nobody pays for it who does not use it. */
export function isLoadedWhenUsed(file: string, importer: SourceFile): boolean {
  const statically = { ...importer, imports: staticImports(importer) };
  const typed = {
    ...importer,
    imports: [...importer.text.matchAll(/^import type [^;]*?from '([^']+)'/gm)].map(([, specifier = '']) => specifier),
  };
  const target = file.replace(/\.tsx?$/, '');
  return ![...internalImports(statically), ...internalImports(typed)].includes(target);
}
