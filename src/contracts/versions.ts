import * as z from 'zod';
import { canonicalJson } from '#kernel/json/canonical-json';
import { schemaChangeKinds } from './compare-outlines.ts';
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
  /**
   * The `SchemaDocument` of the code as it was before the push. It serves nobody, so it is not part of the content: it tells what
   * versions change. Absent where the command line is older, or the document is too large for a bundle.
   */
  schema: contentSchema.optional(),
  /** Version of this package that made the code. */
  builtWith: z.string(),
  gitCommit: z.string().nullable(),
});

export type BundleManifest = z.infer<typeof bundleManifestSchema>;

/** What a version serves: its manifest except for where it came from. */
export type VersionContent = Pick<BundleManifest, 'code' | 'permissions' | 'dataSources' | 'activityRequired' | 'rest'>;

/** What the platform keeps of a version beside its number, author and time. */
export type KeptContent = VersionContent & Pick<BundleManifest, 'schema'>;

/** The content of a version as text: the SHA-256 of it tells whether two versions are the same. */
export function contentText({ code, permissions, dataSources, activityRequired, rest }: VersionContent): string {
  return canonicalJson({ code, permissions, dataSources, activityRequired, rest });
}

/** `KeptContent` as text. */
export function keptContentText({
  code,
  permissions,
  dataSources,
  activityRequired,
  rest,
  schema,
}: KeptContent): string {
  return canonicalJson({ code, permissions, dataSources, activityRequired, rest, schema });
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
 * | `GET /api/versions/<number>/changes?replacing=` | `versionChangesSchema`: what changes where it serves in place of another one, by default of the one before |
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

/** One difference between two versions, in the words of `vendor-cloud plan`. */
const versionChangeSchema = z.object({
  change: z.enum(schemaChangeKinds),
  words: z.string(),
  /** Whether somebody who relies on what there was may be hurt. */
  isBreaking: z.boolean(),
});

const codeFactsSchema = versionSchema.pick({ digest: true, sizeBytes: true, gitCommit: true });

/** What is `null` is not known: versions of an older command line do not tell it. */
export const versionChangesSchema = z.object({
  version: z.number().int().positive(),
  /** The version in whose place it serves; `null` for nothing. */
  replacing: z.number().int().positive().nullable(),
  isBreaking: z.boolean(),
  code: z.object({ before: codeFactsSchema.nullable(), after: codeFactsSchema }),
  /** Collections, fields, relations, actions and segments. */
  schema: z.array(versionChangeSchema).nullable(),
  dashboards: z.array(versionChangeSchema).nullable(),
  /** Of `vendor-cloud.json`: data sources by their names, and settings. */
  settings: z.array(versionChangeSchema).nullable(),
  /** Of `permissions.json`. A deployment leaves the rights of an environment as they are. */
  rights: z.array(versionChangeSchema).nullable(),
});

/** Largest bundle the platform takes. */
export const maxBundleBytes = 20 * 1024 * 1024;

export type CreateVersion = z.infer<typeof createVersionSchema>;
export type Version = z.infer<typeof versionSchema>;
export type VersionList = z.infer<typeof versionListSchema>;
export type VersionChange = z.infer<typeof versionChangeSchema>;
export type VersionChanges = z.infer<typeof versionChangesSchema>;
