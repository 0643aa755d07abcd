import type { PlatformEvent } from '#contracts/platform-events';
import type { Logger } from '#kernel/ports/logger';
import type { PlatformEventListener } from '#platform/index';
import type { PermissionChange, PermissionDocuments } from './permission-documents.ts';

/** Fetches documents again when the platform announces a change. Without a connection their age decides. */
export function refreshByEvents(
  documents: PermissionDocuments,
  logger: Logger,
  onCustomizations: () => void,
): PlatformEventListener {
  let isTold = false;
  return {
    connected: () => {
      // Nobody heard of the changes before the connection.
      documents.forget('everything');
      documents.setAnnounced(true);
      if (isTold) logger.log('Info', 'The platform announces changes of permissions again.');
      isTold = false;
    },
    disconnected: (error) => {
      documents.setAnnounced(false);
      // Once for each loss of the connection, however often it is tried again.
      if (!isTold)
        logger.log('Warn', 'Changes of permissions are not announced; they are asked for by age.', { error });
      isTold = true;
    },
    received: (event) => {
      if (event.name === 'refresh-customizations') onCustomizations();
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
    case 'heartbeat':
    case 'refresh-customizations':
    case 'refresh-orders':
      return undefined;
  }
}
