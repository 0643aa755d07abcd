import type { PlatformEvent } from '#contracts/platform-events';
import type { Logger } from '#kernel/ports/logger';
import type { PlatformEventListener } from '#platform-client/index';
import type { PermissionChange, PermissionDocuments } from './permission-documents.ts';

/** A list of the platform that is kept. */
interface KeptList {
  /** It may have changed. */
  forget(): void;
  /** It has changed. */
  drop(): void;
}

/** Listeners to changes other than those of permissions. */
export interface ChangeListeners {
  onCustomizations(): void;
  readonly ipRules: KeptList;
  readonly endedSessions: KeptList;
}

/** Fetches documents again when the platform announces a change. Without a connection their age decides. */
export function refreshByEvents(
  documents: PermissionDocuments,
  logger: Logger,
  { onCustomizations, ipRules, endedSessions }: ChangeListeners,
): PlatformEventListener {
  let isTold = false;
  const announced = () => {
    documents.setAnnounced(true);
    if (isTold) logger.log('Info', 'The platform announces changes of permissions again.');
    isTold = false;
  };
  return {
    connected: () => {
      // The agent missed the changes before the connection.
      documents.forget('everything');
      ipRules.forget();
      endedSessions.forget();
      announced();
    },
    resumed: announced,
    disconnected: (error) => {
      documents.setAnnounced(false);
      // Once for each loss of the connection, however often it is tried again.
      if (!isTold)
        logger.log('Warn', 'Changes of permissions are not announced; they are asked for by age.', { error });
      isTold = true;
    },
    received: (event) => {
      const isEverything = event.name === 'refresh-everything';
      if (isEverything || event.name === 'refresh-customizations') onCustomizations();
      if (event.name === 'refresh-ip-rules') ipRules.drop();
      if (event.name === 'refresh-sessions') endedSessions.drop();
      if (isEverything) {
        ipRules.forget();
        endedSessions.forget();
      }
      const change = changeOf(event);
      if (change) documents.forget(change);
    },
  };
}

function changeOf(event: PlatformEvent): PermissionChange | undefined {
  switch (event.name) {
    case 'refresh-users':
      return 'users';
    case 'refresh-roles':
      return 'environment';
    case 'refresh-renderings':
      return { renderings: event.renderingIds ?? 'all' };
    case 'refresh-everything':
      return 'everything';
    case 'heartbeat':
    case 'refresh-ip-rules':
    case 'refresh-sessions':
    case 'refresh-customizations':
    case 'refresh-orders':
      return undefined;
  }
}
