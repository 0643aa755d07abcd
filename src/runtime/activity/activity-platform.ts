import type { Activity } from '#contracts/activity';

/** Where activities go: the platform. */
export interface ActivityPlatform {
  /** Resolves once they are stored there. One that was stored before, under its id, is not stored again. */
  reportActivities(activities: readonly Activity[], signal?: AbortSignal): Promise<void>;
}
