import { executeActionTool, getActionFormTool } from './action-tools.ts';
import { describeCollectionTool, listCollectionsTool, searchCollectionsTool } from './collection-tools.ts';
import { aggregateTool, getChartTool } from './figure-tools.ts';
import { associateTool, dissociateTool } from './link-tools.ts';
import { getRecordTool, listRelatedTool, listTool } from './read-tools.ts';
import type { RegistrableTool } from './tool.ts';
import { createTool, deleteTool, updateTool } from './write-tools.ts';

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
