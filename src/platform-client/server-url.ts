import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
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
