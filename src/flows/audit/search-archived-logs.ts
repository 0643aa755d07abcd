import { BrokenLog } from '#contracts/audit/verdict';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { logDocuments, openArchive, searchArchive } from '#platform/index';
import type { ActivityPage, AdminPage } from '#platform-client/audit-client';
import type { FlowContext } from '../flow-context.ts';
import type { FoundLogs, SearchInput } from './search-audit-log.ts';
import { archiveBroken } from './verdict-errors.ts';

export interface ArchiveSearchInput extends SearchInput {
  /** Address of the archive. */
  readonly archive: string;
  /** Name of the project; the only one of the archive by default. */
  readonly projectName?: string | undefined;
}

export type FoundInArchive = FoundLogs & {
  /** How many row groups were read, of those in the files that were looked into. */
  readonly groupsRead: number;
  readonly groups: number;
};

/** The same as `searchLog`, from an archive and without its platform. */
export async function searchArchivedLogs(context: FlowContext, input: ArchiveSearchInput): Promise<FoundInArchive> {
  const { archive, projectName, isAdmin, environment, limit, since, until } = input;
  const objects = await openArchive(archive, context);
  const found = await context.reporter.step('Searching the archive', () =>
    searchArchive(objects, {
      project: projectName,
      environment: isAdmin ? null : environment,
      limit,
      filter: {
        ...{ userEmail: input.user, team: input.team, collection: input.collection, recordId: input.record },
        ...{ action: isAdmin ? input.resource : input.action, correlationId: input.correlation, client: input.client },
        ...{ tool: input.tool, codeVersion: input.version, createdAt: { gte: since, lt: until } },
        type: input.type as 'read' | 'write' | undefined,
        status: input.status as 'pending' | 'completed' | 'failed' | undefined,
      },
    }).catch((error: unknown) => {
      throw error instanceof BrokenLog ? archiveBroken(error.problem) : error;
    }),
  );
  const { rows, logs, ...counted } = found;
  if (logs.length !== 1) throw notOneLog(logs);
  const documents = logDocuments(rows);
  return isAdmin
    ? { kind: 'admin', logs: documents as AdminPage['data'], ...counted }
    : { kind: 'activity', logs: documents as ActivityPage['data'], ...counted };
}

function notOneLog(logs: readonly { readonly project: string; readonly environment: string | null }[]): CloudError {
  const names = logs.map(({ project, environment }) => [project, environment ?? 'project'].join(', '));
  return cloudError(
    'USAGE_INVALID',
    names.length === 0
      ? 'The archive has no such log.'
      : `The archive has several logs: ${names.slice(0, 10).join('; ')}${names.length > 10 ? '; …' : ''}.`,
    'Name one with --project-name and --env, or with --project-name and --admin.',
  );
}
