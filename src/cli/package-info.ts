import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PackageInfo } from '#flows/package-info';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  name: string;
  version: string;
};

export const packageInfo: PackageInfo = { name: manifest.name, version: manifest.version, root };
