import type * as z from 'zod';
import { type CredentialKind, credentialKindOf } from '#contracts/credential-kind';
import { cloudError, isCloudError } from '#kernel/errors/cloud-error';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';
import { platformErrorOf } from './platform-error.ts';
import { parseServerUrl } from './server-url.ts';

export type PlatformTransport = ReturnType<typeof createPlatformTransport>;

/** What an answer says, or `undefined` for 404. */
export async function orAbsent<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isCloudError(error) && error.safeDetails['status'] === 404) return undefined;
    throw error;
  }
}

/** One call, in the terms of the platform. `path` is relative to the base address and carries its query. */
interface PlatformRequest {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly credential: 'envSecret' | 'userToken' | 'none';
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** The same, where it is JSON in UTF-8 already. */
  readonly jsonBytes?: Uint8Array;
  readonly bytes?: Uint8Array;
  readonly deadlineMs?: number;
  readonly isRepeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Sends requests with the right credential and turns every answer that is not a success into a `CloudError`. */
export function createPlatformTransport({ serverUrl, http, credentials, environment }: PlatformClientOptions) {
  const base = parseServerUrl(serverUrl);
  const aboutEnvironment = environment === undefined ? {} : { 'service-environment': environment };

  async function send(request: PlatformRequest): Promise<HttpResponse> {
    const response = await http.send({
      method: request.method,
      url: new URL(request.path, base).href,
      headers: {
        accept: 'application/json',
        ...contentType(request),
        ...request.headers,
        ...(request.credential === 'userToken' ? aboutEnvironment : {}),
        ...credentialHeader(request.credential, credentials),
      },
      ...bodyOf(request),
      ...(request.deadlineMs === undefined ? {} : { deadlineMs: request.deadlineMs }),
      isRepeatable: request.isRepeatable,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    if (response.status < 200 || response.status > 299)
      throw platformErrorOf(response, base.host, request.credential === 'userToken');
    return response;
  }

  async function fetchJson<Schema extends z.ZodType>(
    request: PlatformRequest,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    return parseAnswer(await send(request), schema, request, base.host);
  }

  /** What `fetchJson` resolves to, with its `ETag`. */
  async function fetchTagged<Schema extends z.ZodType>(
    request: PlatformRequest,
    schema: Schema,
  ): Promise<{ readonly data: z.output<Schema>; readonly etag: string }> {
    const response = await send(request);
    return { data: parseAnswer(response, schema, request, base.host), etag: response.headers['etag'] ?? '' };
  }

  return { send, fetchJson, fetchTagged };
}

function bodyOf({ bytes, json, jsonBytes }: PlatformRequest): Pick<HttpRequest, 'body'> {
  const body = bytes ?? jsonBytes ?? (json === undefined ? undefined : JSON.stringify(json));
  return body === undefined ? {} : { body };
}

function contentType({ bytes, json, jsonBytes }: PlatformRequest): Record<string, string> {
  if (bytes) return { 'content-type': 'application/octet-stream' };
  return json === undefined && jsonBytes === undefined ? {} : { 'content-type': 'application/json' };
}

/** What cannot be meant as the one or the other. A platform may have tokens of its own form. */
const mistaken: Record<'envSecret' | 'userToken', readonly CredentialKind[]> = {
  envSecret: ['the token of a person', 'an API token', 'a session token'],
  userToken: ['an environment secret', 'a session token'],
};

/** The header of a credential. Throws `CREDENTIALS_MISSING`, or `PLATFORM_UNAUTHENTICATED` for one that cannot be any. */
export function credentialHeader(
  name: PlatformRequest['credential'],
  credentials: PlatformCredentials,
): Record<string, string> {
  if (name === 'none') return {};
  const value = credentials[name];
  const variable = name === 'envSecret' ? 'SERVICE_ENV_SECRET' : 'SERVICE_AUTH_TOKEN';
  const what = name === 'envSecret' ? 'environment secret' : 'token';
  if (value === undefined || value === '') {
    throw cloudError(
      'CREDENTIALS_MISSING',
      `The platform has to be asked, and there is no ${what} to ask it with.`,
      `Set ${variable}, or keep "vendor-cloud dev" running for the project.`,
    );
  }
  // A line break or a blank copied along with a secret would make an illegal header, and the header would be quoted in the error.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    throw cloudError(
      'PLATFORM_UNAUTHENTICATED',
      `The ${what} holds a character that none has, such as a line break or a blank.`,
      `Copy the ${what} again and set ${variable} to it.`,
    );
  }
  const kind = credentialKindOf(value);
  if (kind !== undefined && mistaken[name].includes(kind)) {
    throw cloudError(
      'PLATFORM_UNAUTHENTICATED',
      `The ${what} looks like ${kind}, which belongs elsewhere. Nothing was sent.`,
      `Set ${variable} to ${name === 'envSecret' ? 'the secret of an environment' : 'the token of a person'}.`,
    );
  }
  return name === 'envSecret' ? { 'service-secret-key': value } : { authorization: `Bearer ${value}` };
}

function parseAnswer<Schema extends z.ZodType>(
  response: HttpResponse,
  schema: Schema,
  request: PlatformRequest,
  host: string,
): z.output<Schema> {
  const path = `/${request.path.split('?')[0]}`;
  const notThePlatform = (reason: string, cause?: unknown) =>
    cloudError(
      'PLATFORM_FAILED',
      `The server at ${host} answered ${request.method} ${path} with ${reason}.`,
      'Check that SERVICE_SERVER_URL names a platform server, and that it is of a version that fits this one.',
      { safeDetails: { status: response.status }, cause },
    );
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder().decode(response.body));
  } catch (cause) {
    throw notThePlatform('something that is not JSON', cause);
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const place = parsed.error.issues[0]?.path.join('.');
  throw notThePlatform(place ? `an unexpected value at "${place}"` : 'an unexpected value', parsed.error);
}

export interface PlatformCredentials {
  /** Secret of the environment: what an agent identifies itself with. */
  readonly envSecret?: string | undefined;
  /** Token of a person or a CI job: what a command identifies itself with. */
  readonly userToken?: string | undefined;
}

export interface PlatformClientOptions {
  /** Address of the platform, base path included. Plain `http:` is refused unless the host is this machine. */
  readonly serverUrl: string;
  readonly http: Http;
  readonly credentials: PlatformCredentials;
  /** Name of the environment that requests with a user token are about. Default: the one of the token. */
  readonly environment?: string;
}
