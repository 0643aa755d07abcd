import type { IncomingHttpHeaders } from 'node:http';
import * as z from 'zod';
import { canAskByForm } from './dialogue.ts';
import type { EnabledTools } from './tools/enabled-tools.ts';
import type { RegistrableTool } from './tools/tool.ts';

export const revision = '2026-07-28';
export const versionKey = 'io.modelcontextprotocol/protocolVersion';
export const clientKey = 'io.modelcontextprotocol/clientInfo';
export const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities';
const serverKey = 'io.modelcontextprotocol/serverInfo';

const olderRevisions: ReadonlySet<string | undefined> = new Set([undefined, '2025-06-18', '2025-11-25']);

const envelopeSchema = z.strictObject({
  [versionKey]: z.literal(revision),
  [clientKey]: z.object({ name: z.string(), version: z.string() }),
  [capabilitiesKey]: z.record(z.string(), z.unknown()),
});

const callSchema = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.literal('tools/call'),
  params: z.strictObject({
    name: z.string().regex(/^[\w-]+$/),
    arguments: z.record(z.string(), z.unknown()).default({}),
    _meta: envelopeSchema.optional(),
  }),
});

/** A call of a tool that only reads, in its plainest form. */
export interface QuickCall {
  readonly id: string | number;
  readonly tool: RegistrableTool;
  readonly sent: Readonly<Record<string, unknown>>;
  /** Whether the client speaks the revision 2026-07-28. */
  readonly isModern: boolean;
  /** Whether it can ask the person. */
  readonly canAsk: boolean;
}

/**
 * The call in a message, where the protocol handler would do no more than call the tool; `undefined` for everything else, which
 * is left to the handler, refusals too. Most requests of assistants are such calls, and the handler takes several times as long
 * as the tool.
 */
export function readQuickCall(
  message: object,
  headers: IncomingHttpHeaders,
  tools: EnabledTools,
): QuickCall | undefined {
  const parsed = callSchema.safeParse(message);
  if (!parsed.success || !acceptsJson(headers)) return undefined;
  const { id, params } = parsed.data;
  const tool = tools.find(params.name);
  const isModern = params._meta !== undefined;
  if (!tool?.hints.readOnlyHint || !(isModern ? hasModernHeaders(headers, params.name) : hasOlderHeaders(headers))) {
    return undefined;
  }
  const elicitation = params._meta?.[capabilitiesKey]['elicitation'];
  return { id, tool, sent: params.arguments, isModern, canAsk: canAskByForm(elicitation) };
}

/** The answer to a quick call. */
export function quickAnswer({ id, isModern }: QuickCall, result: object, version: string): string {
  const of2026 = { resultType: 'complete', _meta: { [serverKey]: { name: 'vendor-cloud', version } } };
  return JSON.stringify({ jsonrpc: '2.0', id, result: isModern ? { ...result, ...of2026 } : result });
}

function acceptsJson({ 'content-type': type, accept = '' }: IncomingHttpHeaders): boolean {
  return type === 'application/json' && accept.includes('application/json') && accept.includes('text/event-stream');
}

function hasModernHeaders(headers: IncomingHttpHeaders, tool: string): boolean {
  return (
    headers['mcp-protocol-version'] === revision &&
    headers['mcp-method'] === 'tools/call' &&
    headers['mcp-name'] === tool
  );
}

function hasOlderHeaders(headers: IncomingHttpHeaders): boolean {
  const { 'mcp-protocol-version': version } = headers;
  return (version === undefined || typeof version === 'string') && olderRevisions.has(version);
}
