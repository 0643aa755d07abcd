import * as z from 'zod';
import { recordNotFound } from '../../../model/record-id.ts';
import { packedRecordId, readRecordId, recordIdArgument } from './record-ids.ts';
import { linkedAct, linkingAct, relatedRecords, relationArguments } from './related-records.ts';
import { defineTool } from './tool.ts';
import { dryRunArgument, writeContext } from './write-arguments.ts';

const kinds = ['OneToMany', 'ManyToMany', 'ManyToOne', 'OneToOne'] as const;

const input = z.strictObject({ ...relationArguments, targetRecordId: recordIdArgument, dryRun: dryRunArgument });

const output = z.object({ status: z.enum(['linked', 'dry_run']) });

type Answer = z.input<typeof output>;

/** Link a record to another one, by a relation of any kind. */
export const associateTool = defineTool({
  name: 'associate',
  title: 'Link two records',
  description: 'Link a record to another one, by a relation of any kind.',
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'mcp:write',
  input,
  output,
  act: (given) => linkingAct('associate', given),
  farAct: (given, model) => linkedAct('associate', given, [packedRecordId(given.targetRecordId)], model),
  tryOut: async (given, call): Promise<Answer> => {
    const { foreign, end } = relatedRecords(call, given, kinds);
    const target = () => readRecordId(foreign, given.targetRecordId);
    if (await call.state.recordService.checkLink(end, target, writeContext(call))) return { status: 'dry_run' };
    throw recordNotFound(foreign);
  },
  run: async (given, call): Promise<Answer> => {
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
