/** The command line, as the OpenID provider knows it. */
export const commandLineClientId = 'vendor-cloud';

/** The agents of an environment are one client. */
export function agentClientId(environmentId: number): string {
  return `agent-of-environment-${environmentId}`;
}
