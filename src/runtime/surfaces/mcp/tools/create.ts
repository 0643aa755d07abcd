import * as z from 'zod';
import { collectionNameArgument, collectionOf } from './arguments.ts';
import { defineTool } from './tool.ts';
import { dryRunArgument, idempotencyKeyArgument, objectArgument, readObject, writeContext } from './write-arguments.ts';

const input = z.strictObject({
  collectionName: collectionNameArgument,
  attributes: objectArgument.describe('Values by field. Long numbers as text.'),
  idempotencyKey: idempotencyKeyArgument,
  dryRun: dryRunArgument,
});

const output = z.looseObject({
  status: z.enum(['created', 'dry_run']),
  record: z.record(z.string(), z.unknown()).optional(),
  wouldSet: z.record(z.string(), z.unknown()).optional(),
  missing: z.array(z.string()).optional(),
});

type Answer = z.input<typeof output>;

/** Create a record, within the rights of the caller. */
export const createTool = defineTool({
  name: 'create',
  title: 'Create a record',
  description: 'Create a record of a collection.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  scope: 'mcp:write',
  input,
  output,
  act: ({ collectionName }) => ({ action: 'create', collection: collectionName }),
  tryOut: async ({ collectionName, attributes }, call): Promise<Answer> => {
    const { name } = collectionOf(call, collectionName);
    const read = () => readObject('attributes', attributes);
    const { attributes: wouldSet, missing } = await call.state.recordService.checkCreate(
      name,
      read,
      writeContext(call),
    );
    return { status: 'dry_run', wouldSet, missing: [...missing] };
  },
  run: async ({ collectionName, attributes }, call): Promise<Answer> => {
    const { name } = collectionOf(call, collectionName);
    const read = () => readObject('attributes', attributes);
    return { status: 'created', record: await call.state.recordService.create(name, read, writeContext(call)) };
  },
});
