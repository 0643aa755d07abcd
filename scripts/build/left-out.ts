import type { Plugin } from 'esbuild';

/**
 * What Fastify requires for servers with JSON schemas, of which we have none (`src/node/http/fastify-without-schemas.ts`), and oclif for
 * commands that are not compiled.
 */
const packages = /^(?:@fastify\/(?:ajv-compiler|fast-json-stringify-compiler)|typescript)$/;

/** Leaves packages out that the code never comes to. Should it come there all the same, it says so. */
export const leftOut: Plugin = {
  name: 'left out',
  setup(build) {
    build.onResolve({ filter: packages }, ({ path: name }) => ({ path: name, namespace: 'left-out' }));
    build.onLoad({ filter: packages, namespace: 'left-out' }, ({ path: name }) => ({
      contents: `throw new Error('${name} is left out of this package.');`,
    }));
  },
};
