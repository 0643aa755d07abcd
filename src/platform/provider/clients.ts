/** Where browsers come back to from the company's provider: its redirect URI below the public address of the platform. */
export const companyCallbackPath = '/sign-in-company';

/** The pages of the platform on which people set something up: a client of its own provider. */
export const settingsClientId = 'platform-settings';

/** Where browsers come back to when they have signed in for such a page. */
export const settingsCallbackPath = '/settings/signed-in';

/** Where browsers come back to that a one-time link has signed in. */
export const linkCallbackPath = '/sign-in-link/done';

/** The agents of an environment are one client. */
export function agentClientId(environmentId: number): string {
  return `agent-of-environment-${environmentId}`;
}
