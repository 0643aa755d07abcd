import type { VersionList } from '#contracts/versions';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

export interface ListVersionsInput {
  readonly folder: string;
  readonly limit: number;
  /** Only versions with a lower number. */
  readonly before?: number | undefined;
}

/** The versions of a project, newest first. */
export async function listVersions(context: FlowContext, input: ListVersionsInput): Promise<VersionList> {
  const project = await openProject(context.fs, input.folder, context.variables);
  const { client } = await connectToPlatform(context, project);
  return client.listVersions({ limit: input.limit, ...(input.before === undefined ? {} : { before: input.before }) });
}
