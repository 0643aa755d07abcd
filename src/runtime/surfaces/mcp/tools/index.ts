import { associateTool } from './associate.ts';
import { createTool } from './create.ts';
import { deleteTool } from './delete.ts';
import { describeCollectionTool } from './describe-collection.ts';
import { dissociateTool } from './dissociate.ts';
import { executeActionTool } from './execute-action.ts';
import { getActionFormTool } from './get-action-form.ts';
import { listTool } from './list.ts';
import type { RegistrableTool } from './tool.ts';
import { updateTool } from './update.ts';

/** Every tool of the MCP server. */
export const tools: readonly RegistrableTool[] = [
  describeCollectionTool,
  listTool,
  createTool,
  updateTool,
  deleteTool,
  associateTool,
  dissociateTool,
  getActionFormTool,
  executeActionTool,
];
