import type { Version } from '#contracts/versions';
import { cloudError } from '#kernel/errors/cloud-error';
import type { PlatformClient } from '#platform-client/platform-client';
import type { PreparedVersion } from '../build/prepare-version.ts';
import type { FlowContext } from '../flow-context.ts';

/**
 * Send what the platform lacks of a version, and make the version. It exists only once its bytes are there and checked. Every
 * request may be sent again: what was lost on the way is not done twice.
 */
export async function uploadVersion(
  context: FlowContext,
  client: PlatformClient,
  prepared: PreparedVersion,
  { projectId, message }: { readonly projectId: number; readonly message: string },
): Promise<Version> {
  const missing = new Set(await client.missingBundles(prepared.parts.map(({ digest }) => digest)));
  for (const { digest, bytes } of prepared.parts) {
    if (missing.has(digest)) await client.uploadBundle(digest, bytes);
  }
  const version = await client.createVersion({
    manifest: { ...prepared.manifest, projectId },
    message,
    idempotencyKey: context.random.uuid(),
  });
  if (version.contentDigest === prepared.contentDigest) return version;
  throw cloudError(
    'BUNDLE_DIGEST_MISMATCH',
    `The platform made version ${version.number} of other content than was sent.`,
    ['Push again.', 'If it stays, see that the platform has the version of this command line.'],
  );
}
