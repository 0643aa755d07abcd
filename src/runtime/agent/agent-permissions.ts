import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { EventSubscription } from '#platform/index';
import { createSignedApprovals, type SignedApprovals } from '../http/signed-approvals.ts';
import type { Authoriser } from '../permissions/authoriser.ts';
import { createAuthoriser } from '../permissions/create-authoriser.ts';
import { createPermissionDocuments } from '../permissions/permission-documents.ts';
import { refreshByEvents } from '../permissions/refresh-by-events.ts';
import type { ParsedAgentOptions } from './agent-options.ts';
import type { AgentPlatform } from './agent-platform.ts';

const shortestCacheSeconds = 60;

/** What an embedded agent decides by. */
export interface AgentPermissions {
  readonly authoriser: Authoriser;
  readonly approvals: SignedApprovals;
  /** Hear of changes from now on, unless the options say otherwise. */
  follow(): void;
  /** Hear of no more changes. */
  close(): void;
}

export function createAgentPermissions(
  { envSecret, instantCacheRefresh, permissionsCacheDurationInSeconds }: ParsedAgentOptions,
  platform: AgentPlatform,
  clock: Clock,
  logger: Logger,
): AgentPermissions {
  if (permissionsCacheDurationInSeconds < shortestCacheSeconds) {
    logger.log('Warn', `permissionsCacheDurationInSeconds is raised to ${shortestCacheSeconds}, the least it can be.`);
  }
  const trustedSeconds = Math.max(permissionsCacheDurationInSeconds, shortestCacheSeconds);
  const documents = createPermissionDocuments(platform, clock, trustedSeconds * 1000);
  let events: EventSubscription | undefined;
  return {
    authoriser: createAuthoriser(documents),
    approvals: createSignedApprovals(envSecret, clock),
    follow: () => {
      if (instantCacheRefresh) events ??= platform.followEvents(refreshByEvents(documents, logger));
    },
    close: () => {
      events?.close();
      events = undefined;
      documents.setAnnounced(false);
    },
  };
}
