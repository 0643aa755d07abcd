import type { Tool as ToolDocument } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { compactSchema } from '../render/compact-schema.ts';
import type { RegistrableTool } from './tool.ts';

const documents = new WeakMap<RegistrableTool, ToolDocument>();

/** A tool as `tools/list` shows it, with JSON Schemas of 2020-12. */
export function toolDocument(tool: RegistrableTool): ToolDocument {
  const made = documents.get(tool) ?? makeDocument(tool);
  documents.set(tool, made);
  return made;
}

function makeDocument({ name, title, description, hints, input, output }: RegistrableTool): ToolDocument {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input, 'input'),
    outputSchema: schemaOf(output, 'output'),
    annotations: { ...hints },
  };
}

/**
 * 2020-12 is what the protocol assumes, so that the schema need not say it. That unknown arguments are refused is said once a tool;
 * what answers hold may grow.
 */
function schemaOf(schema: z.ZodObject, io: 'input' | 'output'): ToolDocument['inputSchema'] {
  const { $schema, ...document } = z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema, path }) => {
      const isRefusal = jsonSchema.additionalProperties === false;
      if (isRefusal && (io === 'output' || path.length > 0)) delete jsonSchema.additionalProperties;
    },
  });
  return { ...compactSchema(document), type: 'object' } as ToolDocument['inputSchema'];
}
