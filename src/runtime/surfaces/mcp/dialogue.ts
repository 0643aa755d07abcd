import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { questionName } from './tools/confirm-call.ts';
import type { Dialogue } from './tools/reported-call.ts';

/** Nobody can be asked, and nobody has to be. */
export const noDialogue: Dialogue = { canAsk: false, confirmation: undefined, reply: undefined };

/** What the client of a request can ask the person, and what the person has said. */
export function dialogueOf({ envelope, inputResponses, requestState }: ServerContext['mcpReq']): Dialogue {
  const confirmation = requestState<unknown>();
  return {
    canAsk: canAskByForm(capabilities(envelope)?.elicitation),
    confirmation: typeof confirmation === 'string' ? confirmation : undefined,
    reply: replyIn(inputResponses),
  };
}

function capabilities(envelope: ServerContext['mcpReq']['envelope']): ClientCapabilities | undefined {
  return (envelope as Readonly<Record<string, ClientCapabilities>> | undefined)?.[CLIENT_CAPABILITIES_META_KEY];
}

/** A client that names no mode has forms. One of the revision before cannot be asked: its requests are on their own. */
export function canAskByForm(elicitation: unknown): boolean {
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return 'form' in elicitation || !('url' in elicitation);
}

/** Only a plain yes counts as one; whoever declines, cancels or leaves the box empty says no. */
function replyIn(inputResponses: Readonly<Record<string, unknown>> | undefined): Dialogue['reply'] {
  const response = inputResponse(inputResponses, questionName);
  if (response.kind !== 'elicit') return undefined;
  return response.action === 'accept' && response.content?.['confirm'] === true ? 'yes' : 'no';
}
