import type { AgentTokenClaims } from '#contracts/agent-token';
import { hostVariablesSchema } from '#contracts/hosting';
import { systemClock } from '#node/system/system-clock';
import { createSessionTokens } from '#runtime/surfaces/sign-in/session-tokens';

/** An environment with hosts. */
export interface HostedEnvironment {
  /** Address of the platform. */
  readonly platformUrl: string;
  readonly envSecret: string;
  /** Of the variables that the hosts serve with; 0 before the first. */
  readonly variablesRevision?: number;
}

const ada: AgentTokenClaims = {
  id: 1,
  email: 'ada@example.test',
  firstName: 'Ada',
  lastName: 'Lovelace',
  team: 'Operations',
  role: 'Administrators',
  permissionLevel: 'admin',
  renderingId: 1,
  tags: {},
};

/** A session token of Ada, as any host of the environment takes it. */
export async function sessionTokenFor(
  { platformUrl, envSecret, variablesRevision = 0 }: HostedEnvironment,
  change: Partial<AgentTokenClaims> = {},
): Promise<string> {
  const headers = { 'service-secret-key': envSecret };
  const answer = await fetch(`${platformUrl}/host/v1/variables/${variablesRevision}`, { headers });
  const { authSecret } = hostVariablesSchema.parse(await answer.json());
  return createSessionTokens(authSecret, systemClock, () => false).issue({ ...ada, ...change });
}
