import type { PlatformEvent } from '#contracts/platform-events';
import type { Logger } from '#kernel/ports/logger';
import type { PlatformEventListener } from '#platform/index';
import type { PermissionChange, PermissionDocuments } from './permission-documents.ts';

/** Keeps the documents in step with what the platform announces; without a connection they age. */
export function refreshByEvents(
  documents: PermissionDocuments,
  logger: Logger,
  onCustomizations: () => void,
): PlatformEventListener {
  let isTold = false;
  return {
    connected: () => {
      // Whatever changed while nobody listened was not told.
      documents.forget('everything');
      documents.setAnnounced(true);
      if (isTold) logger.log('Info', 'The platform announces changes of permissions again.');
      isTold = false;
    },
    disconnected: (error) => {
      documents.setAnnounced(false);
      // Once for each time it is gone: it is tried again for as long as it takes.
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
      return undefined;
  }
}
