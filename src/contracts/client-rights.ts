import * as z from 'zod';
import { roleFieldSchema } from './field-rights.ts';
import { keptText } from './kept-text.ts';
import { toolNames } from './mcp.ts';

const name = keptText.min(1);
const granted = z.boolean().optional();

const clientCollectionSchema = z.strictObject({
  browse: granted,
  read: granted,
  edit: granted,
  add: granted,
  delete: granted,
  export: granted,
  actions: z.record(name, z.boolean()).optional().describe('By name; "*" stands for all that are not named.'),
  fields: z
    .record(name, roleFieldSchema)
    .optional()
    .describe('Fields that the client may not use as the person may; "*" stands for all that are not named.'),
});

/**
 * What a program may do at most for the person that it acts for: an MCP client, or a service account. It gives nothing that the person
 * does not have.
 */
export const clientRightsSchema = z.strictObject({
  collections: z
    .record(name, clientCollectionSchema)
    .optional()
    .describe('By name; "*" stands for all that are not named. Without it, all that the person may do.'),
  tools: z.array(z.enum(toolNames)).optional().describe('The MCP tools that it may call; all of them without it.'),
  recordsPerCall: z.int().min(1).optional().describe('How many records one call may list, change or name.'),
  writesPerHour: z.int().min(0).optional().describe('How many calls an hour may write or run an action.'),
});

export type ClientRights = z.infer<typeof clientRightsSchema>;
export type ClientCollection = z.infer<typeof clientCollectionSchema>;

/** All that a person may do with a collection. */
export const allOfCollection: ClientCollection = {
  browse: true,
  read: true,
  edit: true,
  add: true,
  delete: true,
  export: true,
  actions: { '*': true },
};
