import type { PackageSize } from '#project/index';

/** Packages that are named; the others are summed up. */
const maxNamed = 8;

/** How much of a bundle comes from each package, one a line. */
export function renderSizes(packages: readonly PackageSize[]): readonly string[] {
  const shown = packages.length > maxNamed + 1 ? packages.slice(0, maxNamed) : packages;
  const others = packages.slice(shown.length);
  const rest = others.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return [
    ...shown.map((each) => `${sizeText(each.sizeBytes).padStart(10)}  ${each.package ?? '(your code)'}`),
    ...(others.length > 0 ? [`${sizeText(rest).padStart(10)}  ${others.length} other packages`] : []),
  ];
}

export function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  return kilobytes < 1000 ? `${kilobytes.toFixed(1)} kB` : `${(kilobytes / 1024).toFixed(1)} MB`;
}
