import type { CallToolResult, Server } from '@modelcontextprotocol/server';
import { readRecordResource, recordTemplate } from './record-resources.ts';

/** Calls the tool that reads one record. */
type CallGetRecord = (sent: Readonly<Record<string, unknown>>, signal: AbortSignal) => Promise<CallToolResult>;

/** Let a client read records as resources. There are too many to list. */
export function offerRecordResources(server: Server, call: CallGetRecord): void {
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [recordTemplate] }));
  server.setRequestHandler('resources/read', ({ params }, { mcpReq: { signal } }) =>
    readRecordResource(params.uri, ({ collection, id }) => call({ collectionName: collection, recordId: id }, signal)),
  );
}
