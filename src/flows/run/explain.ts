import type { PermissionFile } from '#contracts/permission-file';
import { isCloudError } from '#kernel/errors/cloud-error';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import { openProject, type Project, readPermissions } from '#project/index';
import type { ExplainedPermissions, ExplainedQuery, PermissionQuestion } from '#runtime/index';
import { readDevSession } from '../dev-session/dev-session-lock.ts';
import type { FlowContext } from '../flow-context.ts';
import { rolePrefix } from '../local-platform/served-person.ts';
import { connectAsAgent, connectToPlatform } from '../platform-access/connect-to-platform.ts';
import { loadOnce, nobodyIdentity } from '../project-agent/load-once.ts';
import type { ServeOnceInput } from '../project-agent/serve-once.ts';

/** Say how a list request would be carried out: what in the database, what in the agent, and why. */
export function explain(
  context: FlowContext,
  folder: string,
  request: { readonly collection: string; readonly query: string },
): Promise<ExplainedQuery> {
  return loadOnce(context, folder, ({ agent }) => agent.ask('explain', request));
}

interface ExplainInput extends Omit<ServeOnceInput, 'as' | 'mcpPort'> {
  /** Its user is an id or an e-mail address that the platform knows, or somebody of `permissions.json`: an e-mail address or `role:<name>`. */
  readonly question: Omit<PermissionQuestion, 'roleNames'>;
}

/**
 * Say what somebody may do with a collection of the project. The platform decides for the people that it knows, and `permissions.json` for
 * the others.
 */
export async function explainPermissions(context: FlowContext, input: ExplainInput): Promise<ExplainedPermissions> {
  const { user } = input.question;
  if (user.startsWith(rolePrefix)) return explainByFile(context, input);
  const project = await openProject(context.fs, input.folder, context.variables);
  const isInFile = isPersonOf(await readPermissions(context.fs, project.root), user);
  if (isInFile && !(await hasPlatform(context, project))) return explainByFile(context, input);
  try {
    return await explainByPlatform(context, project, input);
  } catch (error) {
    const isUnknown = isCloudError(error) && error.code === 'REQUEST_NOT_FOUND';
    if (!isUnknown || !isInFile) throw error;
    return explainByFile(context, input);
  }
}

function isPersonOf(file: PermissionFile | undefined, user: string): boolean {
  return Object.keys(file?.people ?? {}).some((email) => email.toLowerCase() === user.toLowerCase());
}

/** Whether somebody chose a platform, or `dev` serves one. */
async function hasPlatform(context: FlowContext, { root, env, config }: Project): Promise<boolean> {
  const chosen = env.get('SERVICE_SERVER_URL') ?? config.serverUrl;
  return chosen !== undefined || (await readDevSession(context, root))?.servers !== undefined;
}

async function explainByPlatform(
  context: FlowContext,
  project: Project,
  { folder, question }: ExplainInput,
): Promise<ExplainedPermissions> {
  const roleNames = await namesAtPlatform(context, project);
  return loadOnce(context, folder, ({ agent }) => agent.ask('explainPermissions', { ...question, roleNames }), {
    platformOf: async () => ({ ...(await connectAsAgent(context, project)), identity: nobodyIdentity }),
  });
}

/** Who is not signed in, or may not read the rights, gets the numbers of roles. */
async function namesAtPlatform(context: FlowContext, project: Project) {
  try {
    return await namesOfRoles((await connectToPlatform(context, project)).client);
  } catch (error) {
    if (isCloudError(error) && error.kind !== 'bug') return undefined;
    throw error;
  }
}

/** On a platform of its own, which has only the rights of the file and the person. */
async function explainByFile(
  context: FlowContext,
  { question, ...served }: ExplainInput,
): Promise<ExplainedPermissions> {
  const { serveOnce } = await import('../project-agent/serve-once.ts');
  return serveOnce(context, { ...served, as: question.user }, async ({ agent, platform }) => {
    const { url: serverUrl, userToken, identity } = platform;
    const client = createPlatformClient({ serverUrl, http: context.http, credentials: { userToken } });
    const { renderingId = identity.renderingId } = question;
    return agent.ask('explainPermissions', {
      ...question,
      user: identity.email,
      renderingId,
      roleNames: await namesOfRoles(client),
    });
  });
}

async function namesOfRoles(client: PlatformClient): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await client.roles()).map(({ id, name }) => [id, name]));
}
