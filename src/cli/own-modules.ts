import { registerHooks } from 'node:module';

/** The folder of the built code. Among the sources nothing is found by this: their imports end in `.ts`. */
const root = new URL('../', import.meta.url).href;

/**
 * Find the files of this package in this thread without a look at the disk. The build writes over a hundred files that name each other.
 * Node.js looks for each of them again for each file that names it, and that is a fifth of the start of a worker.
 *
 * @returns ends it.
 */
export function findOwnModules(): () => void {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      const isOwn = specifier.startsWith('.') && specifier.endsWith('.js') && parentURL?.startsWith(root);
      if (!isOwn) return next(specifier, context);
      return { url: new URL(specifier, parentURL).href, format: 'module', shortCircuit: true };
    },
  });
  return () => hooks.deregister();
}
