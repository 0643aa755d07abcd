import * as z from 'zod';
import { bundleManifestSchema, sha256Schema } from './bundle-manifest.ts';
import { keptText } from './kept-text.ts';

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
