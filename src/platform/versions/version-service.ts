import type { FastifyInstance } from 'fastify';
import { bundlePath, pageQuery, versionChangesQuery, versionPath } from '#contracts/api/deployment-operations';
import {
  type BundleManifest,
  type CreateVersion,
  contentText,
  createVersionSchema,
  keptContentText,
  maxBundleBytes,
  missingBundlesSchema,
  type Version,
  type VersionChanges,
  type VersionList,
} from '#contracts/versions';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { canonicalJson } from '#kernel/json/canonical-json';
import { fullNameOf } from '#kernel/text/full-name';
import { sha256Hex } from '#node/system/digest';
import { authorise } from '../access/authorise.ts';
import type { Guards, SignedInUser } from '../access/guards.ts';
import { parseInput } from '../server/parse-input.ts';
import { compareVersions } from './compare-versions.ts';
import type { VersionRecord, VersionRepository } from './version-repository.ts';

/** Takes bundles and makes versions of them. The author is whoever signed in, whatever the request says. */
export interface VersionService {
  /** Those of `digests` that the project has no bytes of. */
  missingBundles(by: SignedInUser, digests: readonly string[]): Promise<readonly string[]>;
  /** Whether the bytes were new. `BUNDLE_DIGEST_MISMATCH` when they are not those of the digest. */
  storeBundle(by: SignedInUser, digest: string, content: Uint8Array): Promise<boolean>;
  /** `REQUEST_FORBIDDEN`, `REQUEST_UNPROCESSABLE` or `REQUEST_CONFLICT` when the version cannot be made. */
  createVersion(
    by: SignedInUser,
    input: CreateVersion,
  ): Promise<{ readonly version: Version; readonly isNew: boolean }>;
  listVersions(by: SignedInUser, limit: number, before: number | undefined): Promise<VersionList>;
  /** What changes where a version serves in place of another one, by default of the one before. Rejects with `REQUEST_NOT_FOUND`. */
  changes(by: SignedInUser, number: number, replacing: number | undefined): Promise<VersionChanges>;
}

export function createVersionService(versions: VersionRepository): VersionService {
  return {
    missingBundles: async (by, digests) => {
      authorise(by, 'push versions');
      const sizes = await Promise.all(
        digests.map((digest) => versions.findBundleSize(by.environment.projectId, digest)),
      );
      return digests.filter((_, index) => sizes[index] === undefined);
    },
    storeBundle: async (by, digest, content) => {
      authorise(by, 'push versions');
      if (sha256Hex(content) !== digest) {
        throw cloudError(
          'BUNDLE_DIGEST_MISMATCH',
          'The bytes of the bundle do not have the SHA-256 they were sent under.',
          'Push again.',
        );
      }
      return versions.addBundle(by.environment.projectId, digest, content);
    },
    createVersion: (by, input) => createVersion(versions, by, input),
    listVersions: async (by, limit, before) => {
      authorise(by, 'read the project');
      // One more than asked for tells whether there is a next page.
      const records = await versions.listVersions(by.environment.projectId, limit + 1, before);
      const page = records.slice(0, limit);
      return {
        versions: page.map(versionOf),
        nextBefore: records.length > limit ? (page.at(-1)?.number ?? null) : null,
      };
    },
    changes: async (by, number, replacing = number - 1) => {
      authorise(by, 'read the project');
      authorise(by, 'read rights');
      const { projectId } = by.environment;
      const [before, after] = await Promise.all([
        replacing === 0 ? undefined : existing(versions, projectId, replacing),
        existing(versions, projectId, number),
      ]);
      return compareVersions(versions, before, after);
    },
  };
}

async function existing(
  versions: Pick<VersionRepository, 'findVersion'>,
  projectId: number,
  number: number,
): Promise<VersionRecord> {
  const version = await versions.findVersion(projectId, number);
  if (version) return version;
  throw cloudError(
    'REQUEST_NOT_FOUND',
    `The project has no version ${number}.`,
    'See which there are: vendor-cloud versions',
  );
}

async function createVersion(versions: VersionRepository, by: SignedInUser, input: CreateVersion) {
  authorise(by, 'push versions');
  const { user, environment, author } = by;
  const { manifest, message, idempotencyKey } = input;
  const { projectId } = environment;
  if (manifest.projectId !== projectId) throw otherProject(environment.projectName);
  const { code, permissions, schema, builtWith, gitCommit } = manifest;
  const requestHash = sha256Hex(canonicalJson({ manifest, message, authorId: user.id }));
  const earlier = await versions.findVersionByKey(projectId, idempotencyKey);
  if (earlier && earlier.requestHash !== requestHash) throw keyTaken(earlier.number);
  if (earlier) return { version: versionOf(earlier), isNew: false };
  for (const part of [code, permissions, schema]) if (part) await assertBundleFits(versions, projectId, part);
  const { version, isNew } = await versions.addVersion({
    projectId,
    digest: code.digest,
    message,
    author,
    builtWith,
    gitCommit,
    idempotencyKey,
    requestHash,
    contentHash: sha256Hex(contentText(manifest)),
    content: keptContentText(manifest),
  });
  return { version: versionOf(version), isNew };
}

async function assertBundleFits(
  versions: VersionRepository,
  projectId: number,
  { digest, sizeBytes }: BundleManifest['code'],
): Promise<void> {
  const storedBytes = await versions.findBundleSize(projectId, digest);
  if (storedBytes === undefined) {
    throw unprocessable(
      'The bundle of the version was not uploaded.',
      'Upload the bundle first, then create the version.',
    );
  }
  if (storedBytes !== sizeBytes) {
    throw unprocessable('The manifest gives another size than the bundle has.', 'Build again, then push.');
  }
}

function versionOf(record: VersionRecord): Version {
  return {
    number: record.number,
    digest: record.digest,
    sizeBytes: record.sizeBytes,
    contentDigest: record.contentHash,
    message: record.message,
    author: { name: fullNameOf(record.author), email: record.author.email },
    createdAt: new Date(record.createdAt).toISOString(),
    builtWith: record.builtWith,
    gitCommit: record.gitCommit,
  };
}

function unprocessable(message: string, nextStep: string): CloudError {
  return cloudError('REQUEST_UNPROCESSABLE', message, nextStep);
}

function otherProject(own: string): CloudError {
  return cloudError(
    'REQUEST_FORBIDDEN',
    `The token is for the project "${own}", and the version was built for another one.`,
    'Push with a token of the project that the version was built for.',
  );
}

function keyTaken(number: number): CloudError {
  return cloudError(
    'REQUEST_CONFLICT',
    `The idempotency key made version ${number} before, from other content.`,
    'Use a new key for new content.',
  );
}

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

  server.get('/api/versions/:number/changes', { onRequest }, async (request) => {
    const { number } = parseInput(versionPath, request.params);
    const { replacing } = parseInput(versionChangesQuery, request.query);
    return versions.changes(guards.user.of(request), number, replacing);
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
