import { createRequire, registerHooks } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '#node/system/package-files';

/** The names of this package and of its parts. */
const ownName = /^@vendor\/cloud(?:\/|$)/;

/**
 * Whoever asks for this package by its name in this thread gets this one from now on. The code of a project may lie where no
 * package is installed, and what it throws and declares must be of the classes that the agent knows. Later calls do nothing.
 */
export function provideOwnPackage(): void {
  if (isProvided) return;
  isProvided = true;
  const manifest = path.join(packageRoot, 'package.json');
  const own = createRequire(manifest);
  const ownFolder = pathToFileURL(`${packageRoot}${path.sep}`).href;
  registerHooks({
    resolve(specifier, context, next) {
      if (!ownName.test(specifier) || context.parentURL?.startsWith(ownFolder)) return next(specifier, context);
      // A name of itself is what a package may always resolve.
      return { url: pathToFileURL(own.resolve(specifier)).href, shortCircuit: true };
    },
  });
}

let isProvided = false;
