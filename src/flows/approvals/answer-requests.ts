import { type Approval, type ApprovalContent, approvalContentSchema } from '#contracts/approvals';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import type { AgentClient } from '../run/agent-client.ts';
import { type AgentOfProject, withAgentOfSession } from '../run/agent-of-project.ts';
import { type ActionRun, answerOf } from '../run/run-action.ts';

interface Target {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment: string | undefined;
}

export interface ListedApprovals {
  readonly environment: string;
  /** Those that one has made or may decide on, the newest first. */
  readonly approvals: readonly Approval[];
}

export async function listApprovals(context: FlowContext, target: Target): Promise<ListedApprovals> {
  const client = await connect(context, target);
  const [{ environment }, approvals] = await Promise.all([client.me(), client.approvals()]);
  return { environment, approvals };
}

interface Answer extends Target {
  readonly id: number;
  readonly act: 'refuse' | 'comment' | 'withdraw';
  readonly comment?: string | undefined;
}

/** Refuse a request, say something about it, or take one back. */
export async function answerApproval(context: FlowContext, { id, act, comment, ...target }: Answer): Promise<Approval> {
  const client = await connect(context, target);
  switch (act) {
    case 'refuse':
      return client.refuseApproval(id, comment);
    case 'withdraw':
      return client.withdrawApproval(id);
    case 'comment':
      return client.commentOnApproval(id, comment ?? '');
  }
}

/** What a request is about, as the agent of the project shows it. */
export function showApproval(
  context: FlowContext,
  { id, ...input }: AgentOfProject & { readonly id: number },
): Promise<ApprovalContent> {
  return withAgentOfSession(context, input, (agent) => contentOf(agent, id));
}

interface Grant extends AgentOfProject {
  readonly id: number;
  readonly comment: string | undefined;
  /** Shows what it is about, and asks. */
  confirm(content: ApprovalContent): Promise<boolean>;
}

export interface GrantedApproval {
  readonly id: number;
  /** `undefined` where the person does not grant it after all. */
  readonly run: ActionRun | undefined;
}

/** Grant a request: the agent looks at it again, and runs the action in the name of who asked. */
export function grantApproval(
  context: FlowContext,
  { id, comment, confirm, ...input }: Grant,
): Promise<GrantedApproval> {
  return withAgentOfSession(context, input, async (agent) => {
    const content = await contentOf(agent, id);
    if (!(await confirm(content))) return { id, run: undefined };
    const path = `/_internal/approvals/${id}/grant`;
    const response = await agent.send({ method: 'POST', path, query: { timezone: input.timezone }, body: { comment } });
    const { collection, action } = content;
    return { id, run: { collection, action, answer: answerOf(response) } };
  });
}

async function contentOf(agent: AgentClient, id: number): Promise<ApprovalContent> {
  return approvalContentSchema.parse(await agent.json({ method: 'GET', path: `/_internal/approvals/${id}` }));
}

async function connect(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  return (await connectToPlatform(context, project, environment)).client;
}
