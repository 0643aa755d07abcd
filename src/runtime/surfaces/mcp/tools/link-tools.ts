import * as z from 'zod';
import { conditionOfKeys, recordNotFound } from '../../../model/record-id.ts';
import { confirmationOutput } from './preview.ts';
import {
  packedIdsOf,
  packedRecordId,
  readRecordId,
  readRecordIds,
  recordIdArgument,
  recordIdsArgument,
} from './record-ids.ts';
import { linkedAct, linkingAct, relatedRecords, relationArguments } from './related-records.ts';
import { sampleOf } from './sample-records.ts';
import { defineTool, type Prepared, type ToolCall } from './tool.ts';
import { confirmationTokenArgument, dryRunArgument, writeContext } from './write-arguments.ts';

const kinds = ['OneToMany', 'ManyToMany', 'ManyToOne', 'OneToOne'] as const;

const associateInput = z.strictObject({
  ...relationArguments,
  targetRecordId: recordIdArgument,
  dryRun: dryRunArgument,
});

const associateOutput = z.object({ status: z.enum(['linked', 'dry_run', 'confirmation_required']) });

type AssociateAnswer = z.input<typeof associateOutput>;

/** Link a record to another one, by a relation of any kind. */
export const associateTool = defineTool({
  name: 'associate',
  title: 'Link two records',
  description: 'Link a record to another one, by a relation of any kind.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input: associateInput,
  output: associateOutput,
  act: (given) => linkingAct('associate', given),
  farAct: (given, model) => linkedAct('associate', given, [packedRecordId(given.targetRecordId)], model),
  tryOut: async (given, call): Promise<AssociateAnswer> => {
    const { foreign, end } = relatedRecords(call, given, kinds);
    const target = () => readRecordId(foreign, given.targetRecordId);
    if (await call.state.recordService.checkLink(end, target, writeContext(call))) return { status: 'dry_run' };
    throw recordNotFound(foreign);
  },
  prepareForPerson: async (given, call): Promise<Prepared<AssociateAnswer>> => {
    const { foreign, end } = relatedRecords(call, given, kinds);
    const target = () => readRecordId(foreign, given.targetRecordId);
    if (!(await call.state.recordService.checkLink(end, target, writeContext(call)))) throw recordNotFound(foreign);
    const sample = await sampleOf(call, foreign, { keys: [target()] }, writeContext(call));
    const message = `Link a record of "${end.collection}" to one of "${foreign.name}", by "${end.relation}".`;
    return { preview: { message, count: 1, sample } };
  },
  run: async (given, call): Promise<AssociateAnswer> => {
    const { relation, foreign, end } = relatedRecords(call, given, kinds);
    const { recordService } = call.state;
    const target = () => readRecordId(foreign, given.targetRecordId);
    if (relation.kind === 'ManyToOne' || relation.kind === 'OneToOne') {
      await recordService.linkToOne(end, target, writeContext(call));
    } else if (!(await recordService.associate(end, target, writeContext(call)))) {
      throw recordNotFound(foreign);
    }
    return { status: 'linked' };
  },
});

const toMany = ['OneToMany', 'ManyToMany'] as const;

const dissociateInput = z.strictObject({
  ...relationArguments,
  targetRecordIds: recordIdsArgument,
  dryRun: dryRunArgument,
  confirmationToken: confirmationTokenArgument,
});

const dissociateOutput = z.looseObject({
  status: z.enum(['unlinked', 'dry_run', 'confirmation_required']),
  unlinkedCount: z.int().optional(),
  ...confirmationOutput,
});

type DissociateAnswer = z.input<typeof dissociateOutput>;

type DissociateArguments = z.output<typeof dissociateInput>;

/** Take links to related records away. The records stay. */
export const dissociateTool = defineTool({
  name: 'dissociate',
  title: 'Unlink records',
  description: 'Unlink related records, which stay. A person confirms it first.',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input: dissociateInput,
  output: dissociateOutput,
  act: (given) => linkingAct('dissociate', given),
  farAct: (given, model) => linkedAct('dissociate', given, packedIdsOf(given.targetRecordIds), model),
  tryOut: async (given, call): Promise<DissociateAnswer> => ({
    status: 'dry_run',
    count: await countToUnlink(given, call),
  }),
  prepare: async (given, call): Promise<Prepared<DissociateAnswer>> => {
    const count = await countToUnlink(given, call);
    if (count === 0) return { answer: { status: 'unlinked', unlinkedCount: 0 } };
    const { foreign, end } = relatedRecords(call, given, toMany);
    const keys = readRecordIds(foreign, given.targetRecordIds);
    const sample = await sampleOf(call, foreign, { keys, relatedTo: end }, writeContext(call));
    const message = `Unlink ${count} of the records of "${foreign.name}" from a record of "${end.collection}". They stay.`;
    return { preview: { message, count, sample } };
  },
  run: async (given, call): Promise<DissociateAnswer> => {
    const { foreign, end } = relatedRecords(call, given, toMany);
    const where = () => conditionOfKeys(foreign.primaryKey, readRecordIds(foreign, given.targetRecordIds));
    const unlinkedCount = await call.state.recordService.dissociate(end, where, false, writeContext(call));
    return { status: 'unlinked', unlinkedCount };
  },
});

function countToUnlink(given: DissociateArguments, call: ToolCall): Promise<number> {
  const { foreign, end } = relatedRecords(call, given, toMany);
  const where = () => conditionOfKeys(foreign.primaryKey, readRecordIds(foreign, given.targetRecordIds));
  return call.state.recordService.checkDissociate(end, where, writeContext(call));
}
