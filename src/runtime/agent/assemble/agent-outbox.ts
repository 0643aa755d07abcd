import path from 'node:path';
import type { Logger } from '#kernel/ports/logger';
import { type ActivityOutbox, createActivityOutbox } from '../../activity/activity-outbox.ts';
import type { ActivityPlatform } from '../../activity/activity-sender.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPorts } from './agent-ports.ts';

/** Reports what people do, from a folder beside the schema file; `undefined` when the options switch it off. */
export function createAgentOutbox(
  { activityOutbox, activityRequired: isRequired, envSecret, schemaPath }: ParsedAgentOptions,
  { fs, clock, random, workingFolder }: AgentPorts,
  platform: ActivityPlatform,
  serverUrl: string,
  logger: Logger,
): ActivityOutbox | undefined {
  if (activityOutbox === false) return undefined;
  const { folder = path.join(path.dirname(schemaPath), '.service-activity'), maxBytes, durableWrites } = activityOutbox;
  return createActivityOutbox({
    platform,
    folder: path.resolve(workingFolder, folder),
    envSecret,
    serverUrl,
    maxBytes,
    isRequired,
    durableWrites,
    logger,
    clock,
    random,
    fs,
  });
}
