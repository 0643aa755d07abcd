import type { Check } from '#contracts/checks';
import { isCloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';
import { failed, passed, skipped } from './doctor-check.ts';
import { checkCertificates, checkNode } from './machine-checks.ts';
import { checkProxy } from './platform-checks.ts';

/** What the platform of a team reaches from its machine. */
export interface TeamPlatformReach {
  readonly agents: readonly { readonly environment: string; readonly url: string }[];
  /** The server that mails go through; `undefined` where nobody gets mails. */
  readonly mailServer: { readonly host: string; readonly port: number } | undefined;
}

/** The checks of the machine of a team's platform. Nobody develops there, so nothing of a project is looked at. */
export async function examineTeamPlatform(
  context: FlowContext,
  { agents, mailServer }: TeamPlatformReach,
): Promise<readonly Check[]> {
  const reached = agents.map((agent) => checkAgent(context, agent));
  return [
    checkNode(context),
    await checkCertificates(context),
    checkProxy(context),
    mailServer
      ? passed('mail', `Mails go through ${mailServer.host}:${mailServer.port}.`)
      : skipped('mail', 'SERVICE_SMTP_HOST is not set: people find requests for approvals in the console only.'),
    ...(await Promise.all(reached)),
    ...(agents.length === 0 ? [skipped('agents', 'The platform was started with the address of no agent.')] : []),
  ];
}

/** An agent says at its root that it runs. */
async function checkAgent({ http }: FlowContext, agent: TeamPlatformReach['agents'][number]): Promise<Check> {
  const name = `agent of ${agent.environment}`;
  const nextSteps = [
    `Look under Deliveries whether a host of ${agent.environment} runs, or start one: vendor-cloud serve`,
    'If the agent answers elsewhere, start the platform with that address: --agent-address.',
  ];
  try {
    const { status } = await http.send({ method: 'GET', url: agent.url, deadlineMs: 5_000 });
    if (status === 200) return passed(name, `It answers at ${agent.url}.`);
    return failed(name, { message: `${agent.url} answers with the status ${status}.`, nextSteps });
  } catch (error) {
    if (!isCloudError(error)) throw error;
    return failed(name, { message: `Nothing answers at ${agent.url}. ${error.message}`, nextSteps });
  }
}
