import { aggregateTool } from './aggregate.ts';
import { describeCollectionTool } from './describe-collection.ts';
import { getChartTool } from './get-chart.ts';
import { getRecordTool } from './get-record.ts';
import { listTool } from './list.ts';
import { listCollectionsTool } from './list-collections.ts';
import { listRelatedTool } from './list-related.ts';
import { searchCollectionsTool } from './search-collections.ts';
import type { RegistrableTool } from './tool.ts';

/** Every tool of the MCP server. */
export const tools: readonly RegistrableTool[] = [
  describeCollectionTool,
  listTool,
  listRelatedTool,
  listCollectionsTool,
  searchCollectionsTool,
  getRecordTool,
  aggregateTool,
  getChartTool,
];
