import { firstRole, type PermissionFile } from '#contracts/permission-file';
import { leftOutInWords } from '#contracts/rights';
import { isCloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { leftOutBy } from '../permissions/rights-of-environment.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';
import type { CheckedStep } from './checked-step.ts';

/**
 * Whom the rights of a project leave out, for its `permissions` step: the people of its platform where somebody is signed in there, else those of
 * a new platform.
 */
export async function peopleLeftOut(
  context: FlowContext,
  project: Project,
  rights: PermissionFile,
): Promise<Pick<CheckedStep, 'note' | 'warnings'>> {
  try {
    const { client } = await connectToPlatform(context, project);
    return { warnings: leftOutInWords(await leftOutBy(client, rights)) };
  } catch (error) {
    if (!isCloudError(error) || error.kind === 'bug' || error.code === 'INTERRUPTED') throw error;
    const named = Object.keys(rights.roles);
    const why = error.code === 'CREDENTIALS_MISSING' ? 'nobody is signed in.' : error.message;
    const note = `The people of a platform were not asked: ${why}`;
    if (named.includes(firstRole)) return { note };
    const nearest = didYouMean(nearestName(firstRole, named));
    return {
      note,
      warnings: [
        `${firstRole}, the role of whoever sets up a platform, loses everything: permissions.json does not name it.${nearest}`,
      ],
    };
  }
}
