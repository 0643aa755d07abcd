import { type CallToolResult, isInputRequiredResult, type Server } from '@modelcontextprotocol/server';
import type { ToolAnswer } from '../tools/call-to-carry-out.ts';
import { readRecordResource, recordTemplate } from './record-resources.ts';

/** Calls the tool that reads one record. */
type CallGetRecord = (sent: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<ToolAnswer>;

/** Let a client read records as resources. There are too many to list. */
export function offerRecordResources(server: Server, call: CallGetRecord): void {
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [recordTemplate] }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq: { signal } }) =>
    readRecordResource(params.uri, async ({ collection, id }) =>
      resultIn(await call({ collectionName: collection, recordId: id }, signal)),
    ),
  );
}

function resultIn(answer: ToolAnswer): CallToolResult {
  if (isInputRequiredResult(answer)) throw new TypeError('A tool that reads has nothing to ask.');
  return answer as CallToolResult;
}
