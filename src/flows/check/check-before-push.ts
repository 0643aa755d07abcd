import type { SavedSchema } from '#contracts/saved-schema';
import { CloudError, type CloudErrorInput } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { checkCode, type LoadedCode } from './check-code.ts';

/** Check code that is to become a version. Rejects with the first problem, which says how many more there are. */
export async function checkBeforePush(
  context: FlowContext,
  project: Project,
  code: string,
  savedSchema: SavedSchema | undefined,
): Promise<LoadedCode> {
  const { steps, loaded } = await checkCode(context, project, code, savedSchema);
  const [first, ...others] = steps.flatMap(({ problems }) => problems);
  if (first) throw others.length === 0 ? first : withOthers(first, others.length);
  for (const { name, state, note } of steps) {
    if (name === 'types' && state === 'skipped' && note) context.reporter.warn(`The types are not checked. ${note}`);
  }
  if (!loaded) throw new TypeError('Code that passes its check has loaded.');
  return loaded;
}

function withOthers(first: CloudError, others: number): CloudError {
  const { location } = first;
  return new CloudError({
    ...reportOfError(first),
    message: `${first.message} (and ${others} more)`,
    nextSteps: [...first.nextSteps, 'See all of them: vendor-cloud check'],
    ...(location ? { location } : {}),
    cause: first,
  } as CloudErrorInput);
}
