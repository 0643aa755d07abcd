import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What may be handed on in a product of the licence of this one, with its text. */
const licences = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  '0BSD',
  'Unlicense',
  'CC0-1.0',
]);

interface InnerPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly texts: readonly string[];
}

/**
 * Say which packages are inside the code of `dist/`: a software bill of materials for scanners, and the texts of their licences.
 *
 * @param files what the code was made from; those of this package are passed over.
 */
export function writePackageList(root: string, files: readonly string[]): void {
  const folders = new Set(files.flatMap((file) => packageFolder(path.resolve(root, file)) ?? []));
  const packages = [...folders]
    .map(readPackage)
    .sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  for (const { name, license } of packages) {
    if (!licences.has(license)) throw new Error(`The licence of ${name} is "${license}", which nobody has looked at.`);
  }
  mkdirSync(path.join(root, 'dist'), { recursive: true });
  writeFileSync(path.join(root, 'dist/packages.cdx.json'), `${JSON.stringify(billOf(packages), null, 1)}\n`);
  writeFileSync(path.join(root, 'dist/licenses.txt'), textsOf(packages));
}

/** The innermost folder of a package that a file is in. */
function packageFolder(file: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0];
}

function readPackage(folder: string): InnerPackage {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license } = manifest;
  const texts = globSync('{LICEN[CS]E*,licen[cs]e*,NOTICE*}', { cwd: folder }).sort();
  return {
    name: String(name),
    version: String(version),
    license: String(license),
    texts: texts.map((file) => readFileSync(path.join(folder, file), 'utf8').trim()),
  };
}

/** CycloneDX, which scanners of vulnerabilities read. */
function billOf(packages: readonly InnerPackage[]) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    components: packages.map(({ name, version, license }) => ({
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      licenses: [{ license: { id: license } }],
    })),
  };
}

/** Each text once, below all packages that come with it. */
function textsOf(packages: readonly InnerPackage[]): string {
  const named = new Map<string, string[]>();
  for (const { name, version, license, texts } of packages) {
    const text = texts.join('\n\n');
    named.set(text, [...(named.get(text) ?? []), `${name} ${version} (${license})`]);
  }
  return [...named].map(([text, names]) => [...names, '', text, '', '-'.repeat(80), ''].join('\n')).join('\n');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
