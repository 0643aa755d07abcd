import type { AgentTokenClaims } from '#contracts/agent-token';
import type { FlowContext } from '../flow-context.ts';

/** The person that the self-test of a host reads for. No token is issued for it. */
export const hostIdentity: AgentTokenClaims = {
  id: 0,
  email: 'host@localhost',
  firstName: 'Host',
  lastName: '',
  team: '',
  role: '',
  permissionLevel: 'admin',
  renderingId: 0,
  tags: {},
};

const secretNames: ReadonlySet<string> = new Set([
  'SERVICE_ENV_SECRET',
  'SERVICE_AUTH_SECRET',
  'SERVICE_AUTH_TOKEN',
  'SERVICE_PLATFORM_KEY',
  'SERVICE_PLATFORM_STORE',
  'SERVICE_METRICS_TOKEN',
]);

/** The variables for a worker with customization code, which needs no secret of the host itself. */
export function withoutSecrets(variables: FlowContext['variables']): Readonly<Record<string, string>> {
  const kept = Object.entries(variables).flatMap(([name, value]) =>
    value === undefined || secretNames.has(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(kept);
}

/** Where a variable is set that a deployment lacks. The `.env` file of a project counts nowhere but there. */
export function onPlatform(name: string): string {
  return `Set it for the environment: vendor-cloud variables set ${name} --env <environment> < file-with-the-value`;
}
