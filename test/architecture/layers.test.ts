import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import layers from './layers.json' with { type: 'json' };
import { internalImports, readSources, repository, staticImports } from './source-tree.ts';

type Layer = keyof typeof layers;
const sources = readSources();
const layerOf = (file: string) => file.split('/')[0] as Layer;

describe('layers', () => {
  it('knows every folder of src', () => {
    expect([...new Set(sources.map((file) => layerOf(file.path)))].sort()).toEqual(Object.keys(layers).sort());
  });

  it('imports only what the table allows, types included', () => {
    const violations = sources.flatMap((file) =>
      internalImports(file)
        .filter((target) => layerOf(target) !== layerOf(file.path))
        .filter((target) => !isAllowed(layerOf(file.path), target))
        .map((target) => `${file.path} -> ${target}`),
    );
    expect(violations).toEqual([]);
  });

  it('gives the console only types of other layers, and the worker beside its pages how a log is verified', () => {
    const values = sources
      .filter((file) => layerOf(file.path) === 'console' && file.path !== 'console/log/verification-worker.ts')
      .flatMap((file) => staticImports(file).map((specifier) => ({ file: file.path, specifier })))
      .filter(({ specifier }) => specifier.startsWith('#'));
    expect(values).toEqual([]);
  });

  it('crosses layers by package imports and stays relative inside one', () => {
    const violations = sources.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('#') || specifier.startsWith('.'))
        .filter((specifier) => {
          const [target = ''] = internalImports({ ...file, imports: [specifier] });
          return specifier.startsWith('#') === (layerOf(target) === layerOf(file.path));
        })
        .map((specifier) => `${file.path} -> ${specifier}`),
    );
    expect(violations).toEqual([]);
  });

  it('has no cycle', () => {
    const graph = new Map(sources.map((file) => [file.path.replace(/\.tsx?$/, ''), internalImports(file)]));
    expect(findCycle(graph)).toEqual([]);
  });

  it('reads the process only in node/environment, and only the outer layers import that', () => {
    const readers = sources
      .filter((file) => /process\.(env|argv|cwd\(|on\('SIG)/.test(file.text))
      .map((file) => file.path);
    const importers = sources.filter((file) =>
      internalImports(file).some((target) => target.startsWith('node/environment/')),
    );
    expect(readers.filter((file) => !file.startsWith('node/environment/'))).toEqual([]);
    expect(
      importers
        .map((file) => layerOf(file.path))
        .filter((layer) => !['node', 'cli', 'exports', 'testing'].includes(layer)),
    ).toEqual([]);
  });

  it('keeps npm packages and input and output out of the kernel, except for functions as pure as its own', () => {
    const pureFunctions = ['leven', '@noble/hashes/sha2.js', 'node:crypto'];
    const outside = sources
      .filter((file) => layerOf(file.path) === 'kernel')
      .flatMap((file) =>
        file.imports
          .filter((specifier) => !specifier.startsWith('.') && !pureFunctions.includes(specifier))
          .map((specifier) => `${file.path} -> ${specifier}`),
      );
    expect(outside).toEqual([]);
  });

  it('lets only the command line import what draws on a terminal', () => {
    const drawing = ['ora', '@inquirer/'];
    const users = sources.filter(({ imports }) =>
      imports.some((specifier) => drawing.some((name) => specifier.startsWith(name))),
    );
    expect(users).not.toEqual([]);
    expect(users.map((file) => layerOf(file.path)).filter((layer) => layer !== 'cli')).toEqual([]);
  });

  it('says the same in ARCHITECTURE.md', () => {
    const text = readFileSync(path.join(repository, 'ARCHITECTURE.md'), 'utf8');
    const rows = Object.fromEntries(
      [...text.matchAll(/^\| `src\/([\w-]+)\/` \| (\d) \| (.*?) \|/gm)].map(([, name = '', layer, allowed = '']) => [
        name,
        { layer: Number(layer), mayImport: [...allowed.matchAll(/`([^`]+)`/g)].map((match) => match[1]) },
      ]),
    );
    expect(rows).toEqual(layers);
  });
});

function isAllowed(from: Layer, target: string): boolean {
  return layers[from].mayImport.some((allowed) =>
    allowed.includes('/') ? target === allowed : layerOf(target) === allowed,
  );
}

/** The files of one cycle in order, or nothing. */
function findCycle(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    const start = trail.indexOf(file);
    if (start !== -1) return [...trail.slice(start), file];
    if (done.has(file)) return [];
    for (const target of graph.get(file) ?? []) {
      const cycle = visit(target, [...trail, file]);
      if (cycle.length > 0) return cycle;
    }
    done.add(file);
    return [];
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle.length > 0) return cycle;
  }
  return [];
}
