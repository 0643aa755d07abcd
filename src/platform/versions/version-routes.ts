import type { FastifyInstance } from 'fastify';
import { bundlePath, pageQuery } from '#contracts/api/deployment-operations';
import { createVersionSchema, maxBundleBytes, missingBundlesSchema } from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Guards } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import type { VersionService } from './version-service.ts';

/** The routes of `#contracts/versions`. */
export function registerVersionRoutes(server: FastifyInstance, guards: Guards, versions: VersionService): void {
  const onRequest = guards.user.check;

  server.post('/api/bundles/missing', { onRequest }, async (request) => {
    const { digests } = parseInput(missingBundlesSchema, request.body);
    return { digests: await versions.missingBundles(guards.user.of(request), digests) };
  });

  server.post('/api/versions', { onRequest }, async (request, reply) => {
    const input = parseInput(createVersionSchema, request.body);
    const { version, isNew } = await versions.createVersion(guards.user.of(request), input);
    return reply.code(isNew ? 201 : 200).send(version);
  });

  server.get('/api/versions', { onRequest }, async (request) => {
    const { limit, before } = parseInput(pageQuery, request.query);
    return versions.listVersions(guards.user.of(request), limit, before);
  });

  // A scope of its own, because the parser for raw bytes must not reach the other routes.
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.put(
      '/api/bundles/:digest',
      { onRequest, bodyLimit: maxBundleBytes, errorHandler: nameSizeLimit },
      async (request, reply) => {
        const { digest } = parseInput(bundlePath, request.params);
        const content = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        const isNew = await versions.storeBundle(guards.user.of(request), digest, content);
        return reply.code(isNew ? 201 : 200).send({});
      },
    );
  });
}

function nameSizeLimit(error: unknown): never {
  const isTooLarge =
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'FST_ERR_CTP_BODY_TOO_LARGE';
  if (!isTooLarge) throw error;
  throw cloudError(
    'BUNDLE_TOO_LARGE',
    `The bundle is larger than ${maxBundleBytes / 1024 / 1024} MB.`,
    'Remove large dependencies or data files from the bundle.',
  );
}
