import { type InboxNote, inboxSchema } from '#contracts/notes';
import type { FlowContext } from '../flow-context.ts';
import { type AgentClient, createAgentClient, segmentOf, waitForTurns } from '../run/agent-client.ts';
import { printToken } from '../tokens/print-token.ts';

interface InboxInput {
  readonly folder: string;
  readonly environment: string | undefined;
  /** Address of an agent, in place of the one that `dev` or the environment has. */
  readonly agentUrl: string | undefined;
  /** Whether notes without news come as well. */
  readonly isWhole: boolean;
  /** Whether what has news counts as read afterwards. */
  readonly marksRead: boolean;
}

export interface ReadInbox {
  /** The agent that answered. */
  readonly agentUrl: string;
  /** As they were before anything was marked, the newest first. */
  readonly notes: readonly InboxNote[];
  readonly isWhole: boolean;
  /** How many notes were marked as read. */
  readonly marked: number;
}

const tokenSeconds = 60;

/** The notes that concern the person who is signed in, as the inbox of the console has them. */
export async function readInbox(context: FlowContext, input: InboxInput): Promise<ReadInbox> {
  const { folder, environment, agentUrl, isWhole, marksRead } = input;
  const { url, token } = await printToken(context, {
    ...{ folder, environment, agentUrl, audience: 'agent' },
    ...{ expiresInSeconds: tokenSeconds, readOnly: !marksRead },
  });
  const agent = waitForTurns(createAgentClient(context.http, { url, token }), context.clock);
  const inbox = inboxSchema.parse(await agent.json({ method: 'GET', path: '/_internal/notes' }));
  const notes = inbox.notes.filter(({ unread }) => isWhole || unread > 0).toSorted(newestFirst);
  const news = marksRead ? notes.filter(({ unread }) => unread > 0) : [];
  for (const note of news) await markRead(agent, note);
  return { agentUrl: url, notes, isWhole, marked: news.length };
}

/** Up to the message that was the newest then: what came since is still unread. */
async function markRead(agent: AgentClient, { collection, recordId, id, last }: InboxNote): Promise<void> {
  const path = `/_internal/notes/${segmentOf(collection)}/${segmentOf(recordId)}/${id}/reading`;
  await agent.json({ method: 'PUT', path, body: { data: { attributes: { number: last } } } });
}

function newestFirst(one: InboxNote, other: InboxNote): number {
  return other.updatedAt.localeCompare(one.updatedAt) || other.id - one.id;
}
