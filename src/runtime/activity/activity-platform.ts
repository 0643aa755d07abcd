/** The receiver of activities: the platform. */
export interface ActivityPlatform {
  /**
   * Resolves once they are stored there. One that was stored before, under its id, is not stored again.
   *
   * @param activities each as JSON, in the form of `contracts/activity.ts`.
   */
  reportActivities(activities: readonly string[], signal?: AbortSignal): Promise<void>;
}
