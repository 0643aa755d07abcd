import path from 'node:path';
import { savedSchemaFile } from '#contracts/saved-schema';
import { cloudError } from '#kernel/errors/cloud-error';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { checkSchema } from '../schema/schema.ts';
import { type CheckedStep, failed, skipped, stepOf } from './checked-step.ts';

/** Whether `schema.json` says what the databases look like now, where the project has one. */
export async function checkSchemaFile(context: FlowContext, project: Project): Promise<CheckedStep> {
  const file = path.join(project.root, savedSchemaFile);
  if (!(await context.fs.exists(file))) return skipped('schema', `The project has no ${savedSchemaFile}.`);
  const { step, value } = await stepOf('schema', () => checkSchema(context, project.root));
  if (!value || value.isCurrent) return step;
  const outdated = cloudError(
    'GENERATED_FILE_OUTDATED',
    `${savedSchemaFile} is not what the databases look like now (${value.changes.length} differences).`,
    ['See them: vendor-cloud schema --check', 'Write it anew, and commit it: vendor-cloud schema'],
    { location: { file, line: 1 } },
  );
  return failed('schema', [outdated]);
}
