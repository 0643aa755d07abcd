import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);

/** The folder of this package. */
export const packageRoot = path.dirname(require.resolve('@vendor/cloud/package.json'));

/** The address of a module of this package that is started on its own, compiled or not. @param name such as `#cli/agent-worker` */
export function moduleUrl(name: string): URL {
  return pathToFileURL(require.resolve(name));
}
