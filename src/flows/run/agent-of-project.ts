import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { openProject } from '#project/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { readServedPerson } from '../local-platform/served-person.ts';
import type { ServeOnceInput } from '../project-agent/serve-once.ts';
import { type AgentClient, createAgentClient } from './agent-client.ts';

/** The project and the person of a command that asks an agent. */
export interface AgentOfProject extends ServeOnceInput {
  /** IANA name of the time zone of the person. */
  readonly timezone: string;
}

/**
 * Ask the agent of the `dev` session that serves the project, or one that is started for this: where there is no session, or it
 * serves another person.
 */
export async function withAgent<Result>(
  context: FlowContext,
  input: AgentOfProject,
  ask: (agent: AgentClient) => Promise<Result>,
): Promise<Result> {
  const running = await agentOfSession(context, input);
  if (running) return ask(running);
  const { serveOnce } = await import('../project-agent/serve-once.ts');
  return serveOnce(context, input, ({ servers }) =>
    ask(createAgentClient(context.http, { url: servers.agentUrl, token: servers.agentToken })),
  );
}

/**
 * Ask the agent of the `dev` session that serves the project to the person, about what has to stay when the command has ended. Rejects
 * with `USAGE_INVALID` where there is no such session.
 *
 * @param elsewhere says how it is done without a session.
 */
export async function withAgentOfSession<Result>(
  context: FlowContext,
  input: AgentOfProject,
  ask: (agent: AgentClient) => Promise<Result>,
  elsewhere = 'Ask and answer for a deployed agent in the console, or over HTTP: docs/approvals.md.',
): Promise<Result> {
  const running = await agentOfSession(context, input);
  if (!running) throw sessionMissing(input.as, elsewhere);
  return ask(running);
}

function sessionMissing(as: string | undefined, elsewhere: string): CloudError {
  const command = as === undefined ? 'vendor-cloud dev' : `vendor-cloud dev --as ${as}`;
  return cloudError(
    'USAGE_INVALID',
    `No session serves this project to ${as ?? 'its developer'}, and what a command starts for itself keeps no requests.`,
    [`Run "${command}" in another terminal.`, elsewhere],
  );
}

async function agentOfSession(context: FlowContext, { folder, as }: AgentOfProject): Promise<AgentClient | undefined> {
  const project = await openProject(context.fs, folder, context.variables);
  const { agentUrl, agentAccess } = (await readDevSession(context, project.root))?.servers ?? {};
  if (agentUrl === undefined || agentAccess === undefined) return undefined;
  const person = await readServedPerson(context, project, as);
  if ((person?.email ?? null) !== agentAccess.servedAs) return undefined;
  const { authSecret, identity } = agentAccess;
  const { signSessionToken } = await import('#runtime/index');
  const token = await signSessionToken(authSecret, identity, context.clock);
  return createAgentClient(context.http, { url: agentUrl, token });
}
