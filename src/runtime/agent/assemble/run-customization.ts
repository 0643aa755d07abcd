import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Declaration } from '../../customizer/declaration.ts';
import { createDeclarationRecorder } from '../../customizer/declaration-recorder.ts';
import type { CollectionSchema } from '../../query/collection-schema.ts';
import { customizationError } from '../../user-code/customization-error.ts';
import { withDeadline } from '../../user-code/deadline.ts';

const deadlineMs = 10_000;

/**
 * Run the customization code and collect what it declares; plugins see the collections. Rejects with `CUSTOMIZATION_NOT_A_FUNCTION`,
 * `CUSTOMIZATION_FAILED` or `CUSTOMIZATION_UNRESPONSIVE`.
 */
export async function runCustomization(
  customize: unknown,
  projectRoot: string | undefined,
  collections: readonly CollectionSchema[],
): Promise<readonly Declaration[]> {
  if (typeof customize !== 'function') throw notAFunction(customize);
  const recorder = createDeclarationRecorder(collections);
  const run = async () => {
    await customize(recorder.agent);
    return recorder.finish();
  };
  try {
    return await withDeadline('The customization code', deadlineMs, run());
  } catch (error) {
    throw customizationError(error, 'The customization code', projectRoot);
  }
}

function notAFunction(customize: unknown): CloudError {
  const kind = customize === null ? 'null' : typeof customize;
  const found = customize === undefined ? 'has no default export' : `exports ${kind} as default`;
  return cloudError(
    'CUSTOMIZATION_NOT_A_FUNCTION',
    `The entry of the project ${found}, where a function is needed.`,
    'Write: export default function customize(agent) { … }',
  );
}
