import type { Check } from '#contracts/checks';
import { proxiesFrom } from '#kernel/environment/proxies';
import { isCloudError, toCloudError } from '#kernel/errors/cloud-error';
import type { HttpResponse } from '#kernel/ports/http';
import { createPlatformClient } from '#platform-client/platform-client';
import { platformHealth } from '#platform-client/server-url';
import type { FlowContext } from '../flow-context.ts';
import { platformUrlOf } from '../platform-access/connect-to-platform.ts';
import type { ProjectParts } from '../platform-access/project-parts.ts';
import { whoAmI } from '../sign-in/who-am-i.ts';
import { failed, passed, skipped, warning } from './doctor-check.ts';

/** Tokens and certificates are refused when two clocks differ by more. */
const toleratedMs = 30_000;
/** A token that expires earlier is worth a warning. */
const soonMs = 14 * 86_400_000;

/** The checks of the way to the platform, and of what this machine is known as there. */
export async function checkPlatform(context: FlowContext, parts: ProjectParts, folder: string): Promise<Check[]> {
  const url = platformUrlOf(parts, parts.session);
  const proxy = checkProxy(context);
  let health: HttpResponse;
  try {
    health = await platformHealth(context.http, url);
  } catch (error) {
    if (!isCloudError(error)) throw error;
    if (!isNamed(parts))
      return [proxy, skipped('platform', 'None is named; "vendor-cloud dev" brings one of its own.')];
    const why = skipped('credentials', 'They need a platform that answers.');
    return [proxy, failed('platform', error), skipped('clock', 'It is compared with that of the platform.'), why];
  }
  return [
    proxy,
    passed('platform', `${url} answers.`),
    checkClock(context, health),
    await checkCredentials(context, folder),
    await checkSecret(context, url, parts),
  ];
}

/** Nobody expects the local platform to answer while `dev` does not run. */
function isNamed({ env, config, session }: ProjectParts): boolean {
  return Boolean(env.get('SERVICE_SERVER_URL') ?? config?.serverUrl ?? session);
}

export function checkProxy({ variables }: FlowContext): Check {
  const { httpProxy, httpsProxy, noProxy } = proxiesFrom(variables);
  const used = [...new Set([httpsProxy, httpProxy].filter((proxy) => proxy !== undefined))];
  if (used.some((proxy) => !URL.canParse(proxy))) {
    const nextSteps = [
      'Set HTTPS_PROXY and HTTP_PROXY to addresses such as http://proxy.example.com:3128, or unset them.',
    ];
    return failed('proxy', { message: 'A variable for a proxy holds no URL.', nextSteps });
  }
  if (used.length > 0) {
    const hosts = used.map((proxy) => new URL(proxy).host).join(', ');
    return passed('proxy', `Requests go through ${hosts}${noProxy ? `, except to ${noProxy}` : ''}.`);
  }
  const all = variables['all_proxy'] || variables['ALL_PROXY'];
  if (!all) return passed('proxy', 'No proxy is used.');
  return warning('proxy', 'ALL_PROXY names a SOCKS proxy, which is not used.', 'Set HTTPS_PROXY to an HTTP proxy.');
}

function checkClock({ clock }: FlowContext, { headers }: HttpResponse): Check {
  const there = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(there)) return skipped('clock', 'The platform does not tell the time.');
  const differenceMs = clock.now() - there;
  if (Math.abs(differenceMs) <= toleratedMs) return passed('clock', 'It agrees with that of the platform.');
  const seconds = Math.round(Math.abs(differenceMs) / 1000);
  return failed('clock', {
    message: `The clock of this machine is ${seconds} s ${differenceMs > 0 ? 'ahead of' : 'behind'} that of the platform.`,
    nextSteps: ['Set the clock of this machine, best by NTP: tokens are refused otherwise.'],
  });
}

async function checkCredentials(context: FlowContext, folder: string): Promise<Check> {
  try {
    const { user, project, environment, expiresAt, source, ignored } = await whoAmI(context, {
      folder,
      serverUrl: undefined,
    });
    const message = `${user.email} works on ${project}, environment ${environment}.`;
    if (ignored.length > 0) {
      const others = `${message} There are several tokens: that of the ${source} counts, not ${ignored.join(', ')}.`;
      return warning('credentials', others, 'See which one is whose: vendor-cloud whoami');
    }
    const leftMs = expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - context.clock.now();
    if (leftMs > soonMs) return passed('credentials', message);
    return warning('credentials', `${message} The token expires at ${expiresAt}.`, 'Sign in again: vendor-cloud login');
  } catch (error) {
    if (isCloudError(error) && error.code === 'CREDENTIALS_MISSING')
      return warning('credentials', error.message, ...error.nextSteps);
    return failed('credentials', toCloudError(error));
  }
}

async function checkSecret({ http }: FlowContext, serverUrl: string, { env, session }: ProjectParts): Promise<Check> {
  const envSecret = env.get('SERVICE_ENV_SECRET');
  if (!envSecret) return skipped('environment secret', 'SERVICE_ENV_SECRET is not set.');
  if (serverUrl === session?.sandboxUrl) return passed('environment secret', '"vendor-cloud dev" uses it.');
  try {
    const { data } = await createPlatformClient({ serverUrl, http, credentials: { envSecret } }).environment();
    return passed('environment secret', `It is that of the environment "${data.attributes.name}".`);
  } catch (error) {
    return failed('environment secret', toCloudError(error));
  }
}
