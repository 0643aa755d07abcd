import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PackageInfo } from '#flows/flow-context';
import { packageRoot } from '#node/system/package-files';

const { name, version } = JSON.parse(readFileSync(path.join(packageRoot, 'package.json'), 'utf8')) as {
  name: string;
  version: string;
};

export const packageInfo: PackageInfo = { name, version, root: packageRoot };
