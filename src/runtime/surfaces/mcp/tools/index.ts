import { describeCollectionTool } from './describe-collection.ts';
import { listTool } from './list.ts';
import type { RegistrableTool } from './tool.ts';

/** Every tool of the MCP server. */
export const tools: readonly RegistrableTool[] = [describeCollectionTool, listTool];
