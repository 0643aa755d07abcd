import type { Plugin } from 'esbuild';

/** Names that can be in an `export`. */
const identifier = /^[\w$]+$/;

/**
 * `import()` of a package of CommonJS gives all that it exports, as in Node.js: esbuild knows what such a package exports only where
 * somebody names it.
 */
export const wholePackages: Plugin = {
  name: 'whole packages',
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, async ({ path: name, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === 'resolved' || name.startsWith('node:')) return undefined;
      const found = await build.resolve(name, { kind, resolveDir, pluginData: 'resolved' });
      return found.external ? undefined : { path: name, namespace: 'whole', pluginData: resolveDir };
    });
    build.onLoad({ filter: /.*/, namespace: 'whole' }, async ({ path: name, pluginData: resolveDir }) => {
      const names = Object.keys(await import(name)).filter((each) => identifier.test(each));
      return { contents: `export { ${names.join(', ')} } from '${name}';`, resolveDir };
    });
  },
};
