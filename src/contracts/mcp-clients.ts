import * as z from 'zod';
import { mcpScopes } from './mcp.ts';

/** A program that somebody has let in to the MCP server of an environment. */
const mcpClientSchema = z.object({
  /** Of the grant: the same program has one for each time that it was let in. */
  id: z.string(),
  /** What it calls itself; `null` where it does not. */
  name: z.string().nullable(),
  /** Where it has got its answer: addresses, or programs on the computer of the person. */
  redirectUris: z.array(z.string()),
  /** For whom. */
  person: z.object({ id: z.int(), name: z.string(), email: z.string() }),
  scopes: z.array(z.enum(mcpScopes)),
  createdAt: z.iso.datetime(),
  /** When it got its last token. */
  lastTokenAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
});

/** `GET /api/mcp-clients`, the newest first: one's own, or, for an administrator, everybody's. */
export const mcpClientListSchema = z.object({ clients: z.array(mcpClientSchema) });

export type McpClient = z.infer<typeof mcpClientSchema>;
export type McpClientList = z.infer<typeof mcpClientListSchema>;
