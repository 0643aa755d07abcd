import { isCloudError } from '#kernel/errors/cloud-error';
import { productionKeyRefused } from '#kernel/errors/production-key-refused';
import type { Http } from '#kernel/ports/http';
import { createPlatformClient } from '#platform-client/platform-client';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

/** The platform may be slow or away, and a session must not wait for it. */
const deadlineMs = 2_000;

/**
 * Rejects with `PRODUCTION_KEY_REFUSED` when the platform of the project says that `SERVICE_ENV_SECRET` belongs to production.
 * A project without a platform of its own has a secret of the local one. A platform that cannot be asked is a warning.
 */
export async function refuseProductionKey(context: FlowContext, project: Project): Promise<void> {
  const envSecret = project.env.get('SERVICE_ENV_SECRET');
  const serverUrl = project.env.get('SERVICE_SERVER_URL') ?? project.config.serverUrl;
  if (envSecret === undefined || serverUrl === undefined) return;
  const http: Http = { send: (request) => context.http.send({ ...request, deadlineMs, isRepeatable: false }) };
  const client = createPlatformClient({ serverUrl, http, credentials: { envSecret } });
  const environment = await client.environment().catch((error: unknown) => {
    if (!isCloudError(error)) throw error;
    // A secret that the platform does not know belongs to the local one.
    if (error.code === 'PLATFORM_UNAUTHENTICATED' || error.code === 'PLATFORM_REFUSED') return undefined;
    context.reporter.warn(
      `${error.message} Nobody knows whether SERVICE_ENV_SECRET belongs to production.`,
      'Use the secret of a development environment, or none.',
    );
    return undefined;
  });
  if (environment?.data.attributes.type === 'production')
    throw productionKeyRefused(environment.data.attributes.name, serverUrl);
}
