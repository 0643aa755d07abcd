import type { Logger } from '#kernel/ports/logger';
import type { EventSubscription } from '#platform-client/index';
import type { Authoriser } from '../../permissions/authoriser.ts';
import type { StandIn } from '../../permissions/cached-document.ts';
import { ClientAuthoriser } from '../../permissions/client-authoriser.ts';
import { createAuthoriser } from '../../permissions/create-authoriser.ts';
import { createLastKnownPermissions } from '../../permissions/last-known-permissions.ts';
import { createPermissionDocuments } from '../../permissions/permission-documents.ts';
import { createOutage } from '../../permissions/platform-outage.ts';
import { type ChangeListeners, refreshByEvents } from '../../permissions/refresh-by-events.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPlatform } from './agent-platform.ts';
import type { AgentPorts } from './agent-ports.ts';

const shortestCacheSeconds = 60;

/** The source of an agent's permissions, and the place where they are kept for an outage of the platform. */
export interface PermissionPlace {
  readonly platform: AgentPlatform;
  readonly serverUrl: string;
  /** Folder of the last known permissions; `null` keeps none. */
  readonly folder: string | null;
}

/** The permissions that an agent decides by. */
export interface AgentPermissions {
  readonly authoriser: Authoriser;
  /** Of programs that act for people. */
  readonly programAuthoriser: Authoriser;
  /** The permissions to use while the platform is away. */
  readonly standIn: StandIn | undefined;
  /** Learn about changes from now on, unless the options say otherwise. Calling it again does nothing. */
  follow(listeners: ChangeListeners): void;
  /** Learn about no more changes, and write down what is known. */
  close(): Promise<void>;
}

export function createAgentPermissions(
  options: ParsedAgentOptions,
  place: PermissionPlace,
  { fs, clock }: Pick<AgentPorts, 'fs' | 'clock'>,
  logger: Logger,
): AgentPermissions {
  const { platform, serverUrl, folder } = place;
  const lastKnown =
    folder === null
      ? undefined
      : createLastKnownPermissions({
          fs,
          clock,
          folder,
          envSecret: options.envSecret,
          serverUrl,
          onUnwritable: (error) =>
            logger.log('Warn', 'Permissions cannot be kept on disk for when the platform is away.', { error }),
        });
  const standIn = lastKnown && { lastKnown, outage: createOutage(clock, logger) };
  const trustedAgeMs = trustedSeconds(options, logger) * 1000;
  const documents = createPermissionDocuments(platform, clock, { trustedAgeMs, ...(standIn ? { standIn } : {}) });
  const authoriser = createAuthoriser(documents);
  let events: EventSubscription | undefined;
  return {
    authoriser,
    programAuthoriser: new ClientAuthoriser(authoriser, documents),
    standIn,
    follow: (listeners) => {
      if (!options.instantCacheRefresh) return;
      events ??= platform.followEvents(refreshByEvents(documents, logger, listeners));
    },
    close: async () => {
      events?.close();
      events = undefined;
      documents.setAnnounced(false);
      await lastKnown?.flush();
    },
  };
}

function trustedSeconds({ permissionsCacheDurationInSeconds: seconds }: ParsedAgentOptions, logger: Logger): number {
  if (seconds >= shortestCacheSeconds) return seconds;
  logger.log('Warn', `permissionsCacheDurationInSeconds is raised to ${shortestCacheSeconds}, the least it can be.`);
  return shortestCacheSeconds;
}
