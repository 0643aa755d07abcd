import type { Metafile } from 'esbuild';

/** How much of a bundle comes from a package. */
export interface PackageSize {
  /** `null` for the files of the project itself. */
  readonly package: string | null;
  /** In the bundle, without its source map. */
  readonly sizeBytes: number;
}

/** How much of a build comes from each package, the largest first. */
export function packageSizes({ outputs }: Pick<Metafile, 'outputs'>): readonly PackageSize[] {
  const sizes = new Map<string | null, number>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = packageOf(file);
      sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
    }
  }
  return [...sizes]
    .map(([name, sizeBytes]) => ({ package: name, sizeBytes }))
    .sort((a, b) => b.sizeBytes - a.sizeBytes || compareNames(a.package, b.package));
}

/** The package that a file belongs to: the innermost, where one is installed inside another one or in a store of pnpm. */
export function packageOf(file: string): string | null {
  const inside = /^(?:.*[/\\])?node_modules[/\\](.+)$/.exec(file)?.[1];
  if (inside === undefined) return null;
  const [scope = '', name = ''] = inside.split(/[/\\]/);
  return scope.startsWith('@') ? `${scope}/${name}` : scope;
}

function compareNames(a: string | null, b: string | null): number {
  return (a ?? '') < (b ?? '') ? -1 : 1;
}
