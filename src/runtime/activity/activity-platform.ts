/** The receiver of activities: the platform. */
export interface ActivityPlatform {
  /**
   * Resolves once they are stored there. One that was stored before, under its id and part, is not stored again.
   *
   * @param entries each as JSON, in the form of `contracts/activity.ts`.
   */
  reportActivities(entries: readonly string[], signal?: AbortSignal): Promise<void>;
}
