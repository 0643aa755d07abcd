import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { productionKeyRefused } from '#kernel/errors/production-key-refused';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import { createPlatformClient, type PlatformClient } from '#platform-client/platform-client';
import type { Project } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { rolePrefix } from '../local-platform/served-person.ts';
import type { UsedPlatform } from '../local-platform/used-platform.ts';
import { envSecretOf, tokenOf } from '../platform-access/connect-to-platform.ts';
import { requirePlatform } from '../platform-access/require-platform.ts';

export interface RemotePlatformInput {
  /** `null` for the platform that the project names. */
  readonly remote: string | null;
  /** The e-mail address of the member to serve, instead of the developer. */
  readonly as?: string | undefined;
}

/**
 * Use another platform in place of a local one: its people, their rights, its records of what they do. The rights stay as they are.
 *
 * @throws `PRODUCTION_KEY_REFUSED` for the secret of a production environment. `CREDENTIALS_MISSING` if the developer is not
 * signed in there or the secret is missing. `USAGE_INVALID` if no platform is named, or nobody of that address is a member.
 * `PLATFORM_…` if no platform answers.
 */
export async function connectRemotePlatform(
  context: FlowContext,
  project: Project,
  { remote, as }: RemotePlatformInput,
): Promise<UsedPlatform> {
  const url = remote ?? project.env.get('SERVICE_SERVER_URL') ?? project.config.serverUrl;
  if (url === undefined) throw noPlatform();
  if (remote !== null) await requirePlatform(context.http, remote, '--remote');
  const envSecret = envSecretOf(project, url);
  const userToken = await tokenOf(context, { url, env: project.env, session: undefined });
  const client = createPlatformClient({ serverUrl: url, http: context.http, credentials: { envSecret, userToken } });
  const { name, type } = (await client.environment()).data.attributes;
  if (type === 'production') throw productionKeyRefused(name, url);
  const id = as === undefined ? (await client.me()).user.id : await idOf(client, as);
  const identity = await client.person(id);
  if (!identity) throw noMember(url, name);
  const { firstName, email, role, roles = [role], team, tags } = identity;
  context.reporter.info(
    `People and rights are those of the environment "${name}" of ${url}, and permissions.json changes nothing there.`,
  );
  return {
    url,
    envSecret,
    userToken,
    identity,
    servedAs: as === undefined ? undefined : { name: firstName, email, role, roles, team, tags },
    isLocal: false,
    stop: async () => undefined, // It is not of this session.
  };
}

async function idOf(client: PlatformClient, as: string): Promise<number> {
  if (as.startsWith(rolePrefix)) throw roleOfRemote();
  const users = await client.users();
  const found = users.find(({ email }) => email.toLowerCase() === as.toLowerCase());
  if (found) return found.id;
  const meant = didYouMean(
    nearestName(
      as,
      users.map(({ email }) => email),
    ),
  );
  throw cloudError(
    'USAGE_INVALID',
    `The platform knows no member "${as}" of the project.${meant}`,
    'Name the e-mail address of a member: --as ada@example.com',
  );
}

function roleOfRemote(): CloudError {
  return cloudError(
    'USAGE_INVALID',
    'A role can only be served on the local platform; another platform knows the rights of its members.',
    ['Name the e-mail address of a member: --as ada@example.com', 'Or leave out --remote and --no-sandbox.'],
  );
}

function noPlatform(): CloudError {
  return cloudError('USAGE_INVALID', 'The local platform is not wanted, and the project names no other one.', [
    'Name one: vendor-cloud dev --remote https://platform.example.com',
    'Or link the folder to one: vendor-cloud link --to https://platform.example.com',
  ]);
}

function noMember(url: string, environment: string): CloudError {
  return cloudError(
    'CREDENTIALS_MISSING',
    `Whoever is signed in at ${url} is not a member of the project that SERVICE_ENV_SECRET belongs to, or has no team in "${environment}".`,
    [
      'Sign in to that project: vendor-cloud login --in <project>',
      'Or set SERVICE_ENV_SECRET to a secret of your own project.',
    ],
  );
}
