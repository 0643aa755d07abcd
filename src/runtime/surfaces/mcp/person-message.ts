import * as z from 'zod';
import { invalidRequest } from '#kernel/errors/request-errors';
import { capabilitiesKey, clientKey, revision, versionKey } from './quick-call.ts';

/** The client that people of the console have. The rights of an environment may name it, and the log does. */
export const consoleClient = { id: 'console', name: 'Console' } as const;

const id = z.union([z.string().max(100), z.int()]);
const messageSchema = z.discriminatedUnion('method', [
  z.strictObject({ jsonrpc: z.literal('2.0'), id, method: z.literal('tools/list') }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id,
    method: z.literal('tools/call'),
    params: z.strictObject({
      name: z.string().regex(/^[\w-]{1,100}$/),
      arguments: z.record(z.string(), z.unknown()).default({}),
    }),
  }),
]);

/** A message of a person, as the protocol has it. */
export interface PersonMessage {
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Read what a person of the REST API sends: the list of the tools, or a call of one. What a client says beside that is added.
 *
 * @throws `REQUEST_INVALID`
 */
export function readPersonMessage(sent: unknown, version: string): PersonMessage {
  const read = messageSchema.safeParse(sent);
  if (!read.success) {
    throw invalidRequest(
      'The body is not a message of JSON-RPC that lists or calls tools.',
      'Send {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, or "tools/call" with "params": {"name", "arguments"}.',
    );
  }
  const message = read.data;
  const name = message.method === 'tools/call' ? { 'mcp-name': message.params.name } : {};
  const envelope = {
    [versionKey]: revision,
    [clientKey]: { name: consoleClient.id, version },
    [capabilitiesKey]: {},
  };
  const params = { ...(message.method === 'tools/call' ? message.params : {}), _meta: envelope };
  return {
    body: { ...message, params },
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': message.method,
      ...name,
    },
  };
}
