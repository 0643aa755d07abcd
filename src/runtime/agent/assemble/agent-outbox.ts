import path from 'node:path';
import type { Logger } from '#kernel/ports/logger';
import { type ActivityOutbox, createActivityOutbox } from '../../activity/activity-outbox.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';
import type { PlatformConnection } from './platform-connection.ts';

/** What people do is reported beside the schema file, unless that is switched off. */
export function createAgentOutbox(
  { activityOutbox, activityRequired: isRequired, envSecret, schemaPath }: ParsedAgentOptions,
  { fs, clock, random, workingFolder }: AgentPorts,
  platform: PlatformConnection,
  logger: Logger,
): ActivityOutbox | undefined {
  if (activityOutbox === false) return undefined;
  const { folder = path.join(path.dirname(schemaPath), '.service-activity'), maxBytes } = activityOutbox;
  return createActivityOutbox({
    platform,
    folder: path.resolve(workingFolder, folder),
    envSecret,
    serverUrl: platform.serverUrl,
    maxBytes,
    isRequired,
    logger,
    clock,
    random,
    fs,
  });
}
