import path from 'node:path';
import type { AgentTokenClaims } from '#contracts/agent-token';
import type { Check } from '#contracts/checks';
import { envSecretSchema } from '#contracts/identity';
import { cloudError } from '#kernel/errors/cloud-error';
import type { WantedPort } from '#kernel/ports/tcp';
import type { DevEvents, EnvironmentRecord } from '#platform/index';
import type { Project } from '#project/index';
import type { DevelopmentAccess, Sandbox } from '#sandbox/index';
import type { FlowContext } from '../flow-context.ts';
import { readPlatformKey } from './platform-key.ts';
import type { ServedPerson } from './served-person.ts';
import type { UsedPlatform } from './used-platform.ts';

export interface Developer {
  readonly name: string;
  readonly email: string;
}

export interface LocalPlatformInput {
  readonly port: WantedPort;
  readonly developer: Developer;
  readonly servedAs?: ServedPerson | undefined;
  /** What the session says, for its console. */
  readonly devEvents?: DevEvents | undefined;
  /** Looks at what the session stands on, for its console. */
  readonly examine?: (() => Promise<readonly Check[]>) | undefined;
  /** Where its store is. By default it is the one of the project, `.vendor-cloud`. */
  readonly stateFolder?: string;
}

/** A platform that a session has started for itself. */
export type LocalPlatform = UsedPlatform &
  Required<Pick<UsedPlatform, 'makeSignInLink' | 'serveAgent' | 'allowWebhooks'>>;

/** Start the platform of a project on this machine. */
export async function startLocalPlatform(
  context: FlowContext,
  project: Project,
  {
    port,
    developer,
    servedAs,
    devEvents,
    examine,
    stateFolder = path.join(project.root, '.vendor-cloud'),
  }: LocalPlatformInput,
): Promise<LocalPlatform> {
  const envSecret = await readEnvSecret(context, project);
  // Half of all modules: nobody waits for them who has called the command wrongly, or uses another platform.
  const { startSandbox } = await import('#sandbox/index');
  let agentUrl: string | undefined;
  let webhookOrigins: readonly string[] = project.config.rest?.webhookOrigins ?? [];
  const isServed = ({ projectName, type }: Pick<EnvironmentRecord, 'projectName' | 'type'>) =>
    projectName === project.config.name && type === 'development';
  const sandbox = await startSandbox({
    store: { dialect: 'sqlite', storage: path.join(stateFolder, 'platform.sqlite') },
    port,
    host: '127.0.0.1',
    clock: context.clock,
    random: context.random,
    logger: context.logger,
    platformKey: await readPlatformKey(context, stateFolder),
    checkpointFile: path.join(stateFolder, 'platform.checkpoints'),
    hasSignInLinks: true,
    ...(devEvents ? { devEvents } : {}),
    ...(examine ? { examine } : {}),
    reachAgent: (environment) => (isServed(environment) ? agentUrl : undefined),
    webhookOriginsOf: (environment) => (isServed(environment) ? webhookOrigins : undefined),
  });
  const access = await sandbox.provisionDevelopment({ project: project.config.name, envSecret, user: developer });
  const identity = servedAs ? await provisionServed(sandbox, envSecret, servedAs) : claimsOf(developer, access);
  return {
    url: sandbox.url,
    envSecret,
    userToken: access.userToken,
    identity,
    servedAs,
    isLocal: true,
    makeSignInLink: () => sandbox.makeSignInLink(identity.id),
    serveAgent: (url) => {
      agentUrl = url;
    },
    allowWebhooks: (origins) => {
      webhookOrigins = origins;
    },
    async stop() {
      await sandbox.revoke(access.userToken);
      await sandbox.stop();
    },
  };
}

async function provisionServed(
  sandbox: Sandbox,
  envSecret: string,
  { name, email, role, roles, team, tags }: ServedPerson,
): Promise<AgentTokenClaims> {
  const person = { firstName: name, lastName: '', email };
  const { userId, renderingId } = await sandbox.provisionPerson({
    ...{ envSecret, person, role, team },
    furtherRoles: roles.filter((each) => each !== role),
  });
  const several = roles.length > 1 ? { roles } : {};
  return { ...person, id: userId, team, role, ...several, permissionLevel: 'user', renderingId, tags };
}

function claimsOf(
  { name, email }: Developer,
  { userId, renderingId, team, role }: DevelopmentAccess,
): AgentTokenClaims {
  const [firstName = name, ...rest] = name.split(' ');
  return {
    id: userId,
    email,
    firstName,
    lastName: rest.join(' '),
    team,
    role,
    permissionLevel: 'admin',
    renderingId,
    tags: {},
  };
}

/**
 * The secret of the project's development environment. Where the project names none, it is kept beside the store, because the
 * platform knows the project by it.
 */
async function readEnvSecret({ fs, random }: FlowContext, project: Project): Promise<string> {
  const given = project.env.get('SERVICE_ENV_SECRET');
  if (given !== undefined) {
    return checkedSecret(
      given,
      'SERVICE_ENV_SECRET',
      'Correct it in .env, or remove the line: the local platform then makes one.',
    );
  }
  const file = path.join(project.root, '.vendor-cloud', 'environment.secret');
  await fs.createExclusively(file, random.hex(32), { mode: 0o600 });
  return checkedSecret(
    ((await fs.readText(file)) ?? '').trim(),
    file,
    'Remove the file: the local platform then makes another one.',
  );
}

function checkedSecret(secret: string, place: string, nextStep: string): string {
  if (envSecretSchema.safeParse(secret).success) return secret;
  throw cloudError(
    'PROJECT_ENV_FILE_INVALID',
    `${place} is malformed: it must be 64 lower-case hexadecimal digits.`,
    nextStep,
  );
}
