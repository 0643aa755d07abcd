import * as z from 'zod';
import { clientRightsSchema } from './client-rights.ts';
import { keptText } from './kept-text.ts';
import { mcpScopes } from './mcp.ts';
import { clientSentences } from './rights-in-words.ts';

/** A program that somebody has let in to the MCP server of an environment. */
export const mcpClientSchema = z.object({
  /** Of the grant: the same program has one for each time that it was let in. */
  id: z.string(),
  /** Of its OAuth client: the address of its document, or what it got when it registered. The log names it. */
  clientId: z.string().nullable().default(null),
  /** What it calls itself; `null` where it does not. */
  name: z.string().nullable(),
  /** Where it has got its answer: addresses, or programs on the computer of the person. */
  redirectUris: z.array(z.string()),
  /** The person that it works for. */
  person: z.object({ id: z.int(), name: z.string(), email: z.string() }),
  scopes: z.array(z.enum(mcpScopes)),
  /** The client of the rights of the environment that it counts as; `null` where its id says that. */
  countsAs: z.string().nullable().default(null),
  /** What was set for it: it may do no more; `null` where nothing was. */
  rights: clientRightsSchema.nullable().default(null),
  /** What was set for it, one sentence each. */
  inWords: z.array(z.string()).default([]),
  createdAt: z.iso.datetime(),
  /** When it got its last token. */
  lastTokenAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime(),
});

/** `GET /api/mcp-clients`, the newest first: one's own, or, for an administrator, everybody's. */
export const mcpClientListSchema = z.object({ clients: z.array(mcpClientSchema) });

/**
 * `PATCH /api/mcp-clients/<id>`: what is not named stays. People narrow what they have let in themselves; administrators set it for
 * everybody, and alone say which client of the rights it counts as. Its tokens that are out are held to it at once.
 */
export const changeMcpClientSchema = z.strictObject({
  countsAs: keptText.min(1).nullable().optional(),
  rights: clientRightsSchema.nullable().optional(),
});

/** `PUT /agent/v1/mcp/grants/<id>/rights`, header `service-secret-key`: what the person has chosen when they agreed. */
export const grantRightsSchema = z.strictObject({ rights: clientRightsSchema });

export type ChangeMcpClient = z.infer<typeof changeMcpClientSchema>;
export type McpClient = z.infer<typeof mcpClientSchema>;
export type McpClientList = z.infer<typeof mcpClientListSchema>;

/** What was set for a program, one sentence each. */
export function clientInWords({ countsAs, rights }: Pick<McpClient, 'countsAs' | 'rights'>): readonly string[] {
  return [
    ...(countsAs === null ? [] : [`It counts as the client "${countsAs}"`]),
    ...(rights ? clientSentences('It', rights) : []),
  ];
}
