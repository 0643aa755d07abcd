import path from 'node:path';
import { savedSchemaFile } from '#contracts/saved-schema';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { hasSameLines } from '#kernel/text/line-ends';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';

const writeTypings = 'Write it anew, and commit it: vendor-cloud update-typings';
// It reads the databases, and what it writes is outdated again for a schema.json that is behind them.
const writeSchema = `Where the databases have changed, write ${savedSchemaFile} first: vendor-cloud schema`;

interface CurrentTypings {
  readonly current: string;
  /** Whether they were made of `schema.json`. */
  readonly isOfFile: boolean;
}

/** What is wrong with the generated types of a project; `undefined` where they are up to date. */
export async function typingsDrift(
  { fs }: Pick<FlowContext, 'fs'>,
  { root, typingsPath }: Project,
  { current, isOfFile }: CurrentTypings,
): Promise<CloudError | undefined> {
  const written = await fs.readText(typingsPath);
  if (written !== null && hasSameLines(written, current)) return undefined;
  const name = path.relative(root, typingsPath);
  const state = written === null ? 'is missing' : 'is not what the code and the schema make of it now';
  return cloudError(
    'GENERATED_FILE_OUTDATED',
    `${name} ${state}.`,
    isOfFile ? [writeSchema, writeTypings] : [writeTypings],
    { location: { file: typingsPath, line: 1 } },
  );
}
