import { createAuditClient } from '#platform-client/audit-client';
import { createNoteClient, type NoteClient, type NotesAddress } from '#platform-client/note-client';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { tokenForPlatform } from '../platform-access/connect-to-platform.ts';
import { environmentOfCaller } from '../platform-access/environment-of-caller.ts';

/** Whose notes. */
export interface NotesTarget {
  readonly folder: string;
  /** Name of the environment; that of the link or of the token by default. */
  readonly environment: string | undefined;
}

export interface NotesAccess {
  readonly client: NoteClient;
  readonly address: NotesAddress;
}

/** The notes of an environment, on the platform that the commands of its project talk to. */
export async function connectToNotes(context: FlowContext, target: NotesTarget): Promise<NotesAccess> {
  const project = await openProject(context.fs, target.folder, context.variables);
  const { url: serverUrl, userToken } = await tokenForPlatform(context, project);
  const options = { serverUrl, http: context.http, credentials: { userToken } };
  const caller = await createAuditClient(options).caller();
  const environment = environmentOfCaller(caller, project, target.environment);
  return { client: createNoteClient(options), address: { project: caller.project, environment } };
}
