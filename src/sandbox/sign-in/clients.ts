/** Where browsers come back to from the company's provider: its redirect URI below the public address of the platform. */
export const companyCallbackPath = '/sign-in-company';

/** The agents of an environment are one client. */
export function agentClientId(environmentId: number): string {
  return `agent-of-environment-${environmentId}`;
}
