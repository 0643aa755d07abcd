import { createPlatformClient } from '#platform-client/platform-client';
import { publishSchema } from '../agent-worker/publish-schema.ts';
import type { FlowContext } from '../flow-context.ts';
import type { AskForSchema } from './permission-controller.ts';
import type { SessionPlatform } from './session-platform.ts';

/** Tells a platform what the collections of the session look like, as every agent of an environment does, whenever that has changed. */
export function createSchemaPublisher(
  { http }: FlowContext,
  { url, envSecret }: SessionPlatform,
): (askForSchema: AskForSchema) => Promise<void> {
  const client = createPlatformClient({ serverUrl: url, http, credentials: { envSecret } });
  let sentHash: string | null = null;
  return async (askForSchema) => {
    const changed = await askForSchema(sentHash);
    if (!changed) return;
    await publishSchema(client, changed);
    sentHash = changed.hash;
  };
}
