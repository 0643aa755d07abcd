import path from 'node:path';
import type { Logger } from '#kernel/ports/logger';
import type { EventSubscription } from '#platform/index';
import type { Authoriser } from '../../permissions/authoriser.ts';
import { createAuthoriser } from '../../permissions/create-authoriser.ts';
import type { StandIn } from '../../permissions/kept-document.ts';
import { createLastKnownPermissions } from '../../permissions/last-known-permissions.ts';
import { createOutage } from '../../permissions/outage.ts';
import { createPermissionDocuments } from '../../permissions/permission-documents.ts';
import { refreshByEvents } from '../../permissions/refresh-by-events.ts';
import { createSignedApprovals, type SignedApprovals } from '../../permissions/signed-approvals.ts';
import type { ParsedAgentOptions } from '../options/agent-options.ts';
import type { AgentPlatform } from './agent-platform.ts';
import type { AgentPorts } from './agent-ports.ts';

const shortestCacheSeconds = 60;

/** What an embedded agent decides by. */
export interface AgentPermissions {
  readonly authoriser: Authoriser;
  readonly approvals: SignedApprovals;
  /** The permissions to use while the platform is away. */
  readonly standIn: StandIn;
  /** Hear of changes from now on, unless the options say otherwise. */
  follow(onCustomizations: () => void): void;
  /** Hear of no more changes, and write down what is known. */
  close(): Promise<void>;
}

export function createAgentPermissions(
  options: ParsedAgentOptions,
  platform: AgentPlatform,
  serverUrl: string,
  { fs, clock, workingFolder }: AgentPorts,
  logger: Logger,
): AgentPermissions {
  const { envSecret, schemaPath } = options;
  const lastKnown = createLastKnownPermissions({
    fs,
    clock,
    folder: path.resolve(workingFolder, path.dirname(schemaPath), '.vendor-cloud'),
    envSecret,
    serverUrl,
    onUnwritable: (error) =>
      logger.log('Warn', 'Permissions cannot be kept on disk for when the platform is away.', { error }),
  });
  const trustedAgeMs = trustedSeconds(options, logger) * 1000;
  const standIn = { lastKnown, outage: createOutage(clock, logger) };
  const documents = createPermissionDocuments(platform, clock, { trustedAgeMs, standIn });
  let events: EventSubscription | undefined;
  return {
    authoriser: createAuthoriser(documents),
    approvals: createSignedApprovals(envSecret, clock),
    standIn,
    follow: (onCustomizations) => {
      if (!options.instantCacheRefresh) return;
      events ??= platform.followEvents(refreshByEvents(documents, logger, onCustomizations));
    },
    close: async () => {
      events?.close();
      events = undefined;
      documents.setAnnounced(false);
      await lastKnown.flush();
    },
  };
}

function trustedSeconds({ permissionsCacheDurationInSeconds: seconds }: ParsedAgentOptions, logger: Logger): number {
  if (seconds >= shortestCacheSeconds) return seconds;
  logger.log('Warn', `permissionsCacheDurationInSeconds is raised to ${shortestCacheSeconds}, the least it can be.`);
  return shortestCacheSeconds;
}
