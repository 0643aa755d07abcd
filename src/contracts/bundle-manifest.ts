import { z } from 'zod';

/** SHA-256 of some bytes, lower-case hexadecimal. */
export const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/, '64 lower-case hexadecimal digits');

/** What travels beside a bundle: enough to check its bytes and to say where they came from. */
export const bundleManifestSchema = z.strictObject({
  formatVersion: z.literal(1),
  project: z.string(),
  /** SHA-256 of `code`. */
  digest: sha256Schema,
  sizeBytes: z.number().int().nonnegative(),
  /** Version of this package that made the bundle. */
  builtWith: z.string(),
  gitCommit: z.string().nullable(),
});

export type BundleManifest = z.infer<typeof bundleManifestSchema>;
