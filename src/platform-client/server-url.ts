import { healthSchema } from '#contracts/health';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpResponse } from '#kernel/ports/http';
import { isLoopbackHost } from '#kernel/text/loopback-host';

/**
 * The base address of a platform, with a slash at its end so that relative paths keep its base path.
 * Throws `PLATFORM_ADDRESS_INVALID` for anything but https, or http to this machine: the requests carry secrets.
 */
export function parseServerUrl(serverUrl: string): URL {
  const url = URL.parse(serverUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw invalid('The address of the platform server is not an http or https URL.');
  }
  if (url.username !== '' || url.password !== '') {
    throw invalid(`The address of the platform server at ${url.host} holds a user name or a password.`);
  }
  if (url.protocol === 'http:' && !isLocal(url.hostname)) {
    throw invalid(
      `The platform server at ${url.host} would be reached over plain http, which would send secrets in the open.`,
    );
  }
  url.hash = '';
  url.search = '';
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return url;
}

function isLocal(hostname: string): boolean {
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost');
}

function invalid(message: string): CloudError {
  return cloudError(
    'PLATFORM_ADDRESS_INVALID',
    message,
    'Write an https address such as https://platform.example.com, as the flag, as SERVICE_SERVER_URL, or as "serverUrl" in vendor-cloud.json.',
  );
}

/** Ask whether a platform answers at an address; resolves to its answer. Rejects with `PLATFORM_…`. */
export async function platformHealth(http: Http, serverUrl: string): Promise<HttpResponse> {
  const url = new URL('health', parseServerUrl(serverUrl));
  const answer = await http.send({ method: 'GET', url: url.href, deadlineMs: 5_000 });
  if (answer.status === 200 && healthSchema.safeParse(jsonOf(answer)).success) return answer;
  throw cloudError(
    'PLATFORM_FAILED',
    `What answers at ${url.host} is not a platform of vendor-cloud (status ${answer.status}).`,
    'Check SERVICE_SERVER_URL, and whether a proxy answers in its place.',
  );
}

function jsonOf({ body }: HttpResponse): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
