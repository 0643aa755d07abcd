import * as z from 'zod';
import { conditionOfKeys } from '../../../model/record-id.ts';
import { confirmationOutput } from './preview.ts';
import { packedIdsOf, readRecordIds, recordIdsArgument } from './record-ids.ts';
import { linkedAct, linkingAct, relatedRecords, relationArguments } from './related-records.ts';
import { sampleOf } from './sample-records.ts';
import { defineTool, type Prepared, type ToolCall } from './tool.ts';
import { confirmationTokenArgument, dryRunArgument, writeContext } from './write-arguments.ts';

const toMany = ['OneToMany', 'ManyToMany'] as const;

const input = z.strictObject({
  ...relationArguments,
  targetRecordIds: recordIdsArgument,
  dryRun: dryRunArgument,
  confirmationToken: confirmationTokenArgument,
});

const output = z.looseObject({
  status: z.enum(['unlinked', 'dry_run', 'confirmation_required']),
  unlinkedCount: z.int().optional(),
  ...confirmationOutput,
});

type Answer = z.input<typeof output>;

type Input = z.output<typeof input>;

/** Take links to related records away. The records stay. */
export const dissociateTool = defineTool({
  name: 'dissociate',
  title: 'Unlink records',
  description: 'Unlink related records, which stay. A person confirms it first.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input,
  output,
  act: (given) => linkingAct('dissociate', given),
  farAct: (given, model) => linkedAct('dissociate', given, packedIdsOf(given.targetRecordIds), model),
  tryOut: async (given, call): Promise<Answer> => ({ status: 'dry_run', count: await countOf(given, call) }),
  prepare: async (given, call): Promise<Prepared<Answer>> => {
    const count = await countOf(given, call);
    if (count === 0) return { answer: { status: 'unlinked', unlinkedCount: 0 } };
    const { foreign, end } = relatedRecords(call, given, toMany);
    const keys = readRecordIds(foreign, given.targetRecordIds);
    const sample = await sampleOf(call, foreign, { keys, relatedTo: end }, writeContext(call));
    const message = `Unlink ${count} of the records of "${foreign.name}" from a record of "${end.collection}". They stay.`;
    return { preview: { message, count, sample } };
  },
  run: async (given, call): Promise<Answer> => {
    const { foreign, end } = relatedRecords(call, given, toMany);
    const where = () => conditionOfKeys(foreign.primaryKey, readRecordIds(foreign, given.targetRecordIds));
    const unlinkedCount = await call.state.recordService.dissociate(end, where, false, writeContext(call));
    return { status: 'unlinked', unlinkedCount };
  },
});

function countOf(given: Input, call: ToolCall): Promise<number> {
  const { foreign, end } = relatedRecords(call, given, toMany);
  const where = () => conditionOfKeys(foreign.primaryKey, readRecordIds(foreign, given.targetRecordIds));
  return call.state.recordService.checkDissociate(end, where, writeContext(call));
}
