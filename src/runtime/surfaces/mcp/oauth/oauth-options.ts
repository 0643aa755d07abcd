import type { IncomingMessage } from 'node:http';
import type { PublicFetch } from '#host/http/public-fetch';
import type { Clock } from '#kernel/ports/clock';
import type { Logger } from '#kernel/ports/logger';
import type { Random } from '#kernel/ports/random';
import type { McpPlace } from '../mcp-place.ts';
import type { McpAuthorizationPlatform } from './authorization-platform.ts';

export interface McpAuthorizationOptions {
  readonly place: McpPlace;
  /** The keys of tokens and cookies are made of it, so that all agents of the environment have the same ones. */
  readonly authSecret: string;
  readonly platform: McpAuthorizationPlatform;
  /** Reads the documents that clients are described by. */
  readonly fetchDocument: PublicFetch;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The address that a request comes from, as far as trusted proxies tell. Default: the peer of the connection. */
  readonly addressOf?: (request: IncomingMessage) => string;
}
