import { aggregateTool } from './aggregate.ts';
import { associateTool } from './associate.ts';
import { createTool } from './create.ts';
import { deleteTool } from './delete.ts';
import { describeCollectionTool } from './describe-collection.ts';
import { dissociateTool } from './dissociate.ts';
import { executeActionTool } from './execute-action.ts';
import { getActionFormTool } from './get-action-form.ts';
import { getChartTool } from './get-chart.ts';
import { getRecordTool } from './get-record.ts';
import { listTool } from './list.ts';
import { listCollectionsTool } from './list-collections.ts';
import { listRelatedTool } from './list-related.ts';
import { searchCollectionsTool } from './search-collections.ts';
import type { RegistrableTool } from './tool.ts';
import { updateTool } from './update.ts';

/** Every tool of the MCP server. */
export const tools: readonly RegistrableTool[] = [
  describeCollectionTool,
  listTool,
  listRelatedTool,
  createTool,
  updateTool,
  deleteTool,
  associateTool,
  dissociateTool,
  getActionFormTool,
  executeActionTool,
  listCollectionsTool,
  searchCollectionsTool,
  getRecordTool,
  aggregateTool,
  getChartTool,
];
