import * as z from 'zod';
import { canonicalJson } from '#kernel/json/canonical-json';
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
export const bundleManifestSchema = z.strictObject({
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
