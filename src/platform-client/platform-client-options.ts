import type { Http } from '#kernel/ports/http';

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
