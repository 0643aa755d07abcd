import * as z from 'zod';
import { canonicalJson } from '#kernel/json/canonical-json';
import { keptText } from './kept-text.ts';
import { projectDataSourcesSchema } from './project-config.ts';
import { restSettingsSchema } from './rest-settings.ts';

/** SHA-256 of some bytes, lower-case hexadecimal. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');

/** Some bytes, and how to check them. */
const contentSchema = z.strictObject({
  digest: sha256Schema,
  sizeBytes: z.number().int().nonnegative(),
});

/** What a version is made of. The bytes travel apart, each once: the platform keeps them by their digest. */
const bundleManifestSchema = z.strictObject({
  formatVersion: z.literal(2),
  /** The project on the platform, which its name may change but this may not. */
  projectId: z.number().int().positive(),
  /** The customization code. */
  code: contentSchema,
  /** `permissions.json` of the project; `null` for a project without one. */
  permissions: contentSchema.nullable(),
  /** Of `vendor-cloud.json`. `${NAME}` stays, and each environment fills in its own. */
  dataSources: projectDataSourcesSchema,
  /** Of `vendor-cloud.json`. */
  activityRequired: z.literal(true).optional(),
  /** Of `vendor-cloud.json`. */
  rest: restSettingsSchema.optional(),
  /** Version of this package that made the code. */
  builtWith: z.string(),
  gitCommit: z.string().nullable(),
});

export type BundleManifest = z.infer<typeof bundleManifestSchema>;

/** What a version serves: its manifest but for where it came from. */
export type VersionContent = Pick<BundleManifest, 'code' | 'permissions' | 'dataSources' | 'activityRequired' | 'rest'>;

/** The content of a version as text: the SHA-256 of it tells whether two versions are the same. */
export function contentText({ code, permissions, dataSources, activityRequired, rest }: VersionContent): string {
  return canonicalJson({ code, permissions, dataSources, activityRequired, rest });
}

/** What a version is about, in the words of its author. */
export const versionMessageSchema = keptText.max(500);

/**
 * Versions, `Authorization: Bearer <user token>`:
 *
 * | request | answer |
 * |---|---|
 * | `POST /api/bundles/missing`, `missingBundlesSchema` | 200 `missingBundlesSchema`: those that have to be sent |
 * | `PUT /api/bundles/<sha256>`, the bytes as the body | 201, or 200 when they are there already |
 * | `POST /api/versions`, `createVersionSchema` | 201 `versionSchema`; 200 for a version that is there already: the same `idempotencyKey`, or the same content |
 * | `GET /api/versions?limit=&before=` | `versionListSchema`, newest first |
 */
export const createVersionSchema = z.strictObject({
  manifest: bundleManifestSchema,
  message: versionMessageSchema,
  idempotencyKey: z.uuid(),
});

export const missingBundlesSchema = z.strictObject({ digests: z.array(sha256Schema).max(100) });

export const versionSchema = z.object({
  number: z.number().int().positive(),
  /** Of the code. */
  digest: sha256Schema,
  sizeBytes: z.number().int().nonnegative(),
  /** Of all that it serves, see `contentText`; `null` for versions of an older format. */
  contentDigest: sha256Schema.nullable(),
  message: z.string(),
  author: z.object({ name: z.string(), email: z.string() }),
  /** ISO 8601, UTC. */
  createdAt: z.iso.datetime(),
  builtWith: z.string(),
  gitCommit: z.string().nullable(),
});

export const versionListSchema = z.object({
  versions: z.array(versionSchema),
  /** Pass as `before` for the next page; `null` on the last. */
  nextBefore: z.number().int().positive().nullable(),
});

/** Largest bundle the platform takes. */
export const maxBundleBytes = 20 * 1024 * 1024;

export type CreateVersion = z.infer<typeof createVersionSchema>;
export type Version = z.infer<typeof versionSchema>;
export type VersionList = z.infer<typeof versionListSchema>;
