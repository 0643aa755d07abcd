import { boolean, integer, string } from '@oclif/core/flags';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { RatePolicy } from '#platform/index';
import { parseDuration } from './duration-flag.ts';

/** The flag for the store of a team's platform. */
export const storeFlags = {
  store: string({
    summary: 'The store: sqlite:/path or postgres://host/database.',
    description:
      'An address with a password belongs into SERVICE_PLATFORM_STORE, because arguments can be read by everybody.',
    env: 'SERVICE_PLATFORM_STORE',
    default: 'sqlite:./vendor-cloud-platform/platform.sqlite',
    helpValue: '<address>',
  }),
};

/** The flag for an environment that the platform hosts in its own process. */
export const hostFlags = {
  serve: string({
    summary: 'Host the environment of SERVICE_ENV_SECRET as well, at this address: one process for a small team.',
    env: 'SERVICE_SERVE',
    helpValue: '<address:port>',
  }),
};

/** The flags for the address of a team's platform, and for the way to reach it. */
export const listenFlags = {
  listen: string({
    summary: 'Address and port to listen on.',
    env: 'SERVICE_LISTEN',
    default: '127.0.0.1:3310',
    helpValue: '<address:port>',
  }),
  'public-url': string({
    summary: 'The https address that people and agents call the platform by.',
    env: 'SERVICE_PUBLIC_URL',
    helpValue: '<url>',
  }),
  'tls-cert': string({
    summary: 'PEM file of a certificate and its chain.',
    env: 'SERVICE_TLS_CERT',
    helpValue: '<file>',
    dependsOn: ['tls-key'],
  }),
  'tls-key': string({
    summary: 'PEM file of the private key.',
    env: 'SERVICE_TLS_KEY',
    helpValue: '<file>',
    dependsOn: ['tls-cert'],
  }),
  'trusted-proxy': string({
    summary: 'Address or range of a proxy whose headers are believed.',
    description: 'Repeat it, or separate several by commas. No proxy is believed by default.',
    env: 'SERVICE_TRUSTED_PROXY',
    helpValue: '<address>',
    multiple: true,
    delimiter: ',',
  }),
  'api-limit': string({
    summary: 'How often a token may call the public API (default 60/min,1000/hour,10000/day).',
    description: 'Repeat it, or separate several by commas. They take the place of the default.',
    env: 'SERVICE_API_LIMIT',
    helpValue: '<number/window>',
    multiple: true,
    delimiter: ',',
  }),
  'access-log': boolean({
    summary: 'Write one JSON line for each request.',
    env: 'SERVICE_ACCESS_LOG',
    default: true,
    allowNo: true,
  }),
};

/** Where the platform reaches agents itself. */
export const agentFlags = {
  'agent-address': string({
    summary:
      'Where the platform reaches the agent of an environment, with its prefix: the console then works through the platform.',
    description:
      'Such as production=https://admin.example.com/service. Repeat it for other environments. With several projects, write project/production=….',
    env: 'SERVICE_AGENT_ADDRESS',
    helpValue: '<environment=address>',
    multiple: true,
    delimiter: ',',
  }),
};

/** The flags for the audit log. */
export const auditFlags = {
  'checkpoint-file': string({
    summary:
      'File to which each signed checkpoint of the audit log is added. Default: platform.checkpoints beside a SQLite store.',
    env: 'SERVICE_CHECKPOINT_FILE',
    helpValue: '<file>',
  }),
  'keep-activity': string({
    summary: 'How long activity logs are kept: at least 30d. Default: for ever.',
    env: 'SERVICE_KEEP_ACTIVITY',
    helpValue: '<time>',
  }),
  'keep-admin': string({
    summary: 'How long admin logs are kept: at least 400d. Default: for ever.',
    env: 'SERVICE_KEEP_ADMIN',
    helpValue: '<time>',
  }),
  archive: string({
    summary:
      'Rows are removed only once this archive has them and they were verified: file:///folder or s3://bucket/folder.',
    env: 'SERVICE_ARCHIVE',
    helpValue: '<address>',
  }),
};

/** The flags for its stop. */
export const stopFlags = {
  notice: integer({
    summary: 'Seconds between a termination signal and the end of listening, in which /ready answers 503.',
    env: 'SERVICE_NOTICE',
    default: 0,
    min: 0,
    max: 600,
    helpValue: '<seconds>',
  }),
  drain: integer({
    summary: 'Seconds that requests in flight are given afterwards.',
    env: 'SERVICE_DRAIN',
    default: 10,
    min: 0,
    max: 600,
    helpValue: '<seconds>',
  }),
};

interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:3351`, `[::1]:3351` or `:3351` for loopback. */
export function parseListenAddress(text: string): ListenAddress {
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[^:[\]]*):(\d{1,5})$/i.exec(text) ?? [];
  if (host === undefined || port === undefined || Number(port) > 65_535) {
    throw cloudError(
      'USAGE_INVALID',
      `"${text}" is not an address to listen on.`,
      'Write it like 127.0.0.1:3310 or [::1]:3310.',
    );
  }
  return { host: host === '' ? '127.0.0.1' : host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

const windowSeconds = { min: 60, hour: 3600, day: 86_400 } as const;

/** What callers of the public API may ask for, from texts such as `60/min`; `undefined` for none. Throws `USAGE_INVALID`. */
export function parseRatePolicies(limits: readonly string[]): readonly RatePolicy[] | undefined {
  if (limits.length === 0) return undefined;
  const policies = limits.map(parseRatePolicy);
  const names = policies.map(({ name }) => name);
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  if (twice !== undefined) throw invalidRates(`There are two limits for "${twice}".`);
  return policies;
}

function parseRatePolicy(text: string): RatePolicy {
  const [, quota = '', name = ''] = /^([1-9]\d{0,8})\/(min|hour|day)$/.exec(text) ?? [];
  if (quota === '') throw invalidRates(`"${text}" is not a limit.`);
  return { name, quota: Number(quota), windowSeconds: windowSeconds[name as keyof typeof windowSeconds] };
}

function invalidRates(message: string): CloudError {
  return cloudError(
    'USAGE_INVALID',
    message,
    'Write a number and a window, each window once: 60/min, 1000/hour, 10000/day.',
  );
}

const daySeconds = 24 * 60 * 60;
const leastActivityDays = 30;
const leastAdminDays = 400;

/** How long the audit log is kept, in days. Throws `USAGE_INVALID` for a time that cannot be read or is too short. */
export function parseRetention(flags: {
  readonly 'keep-activity'?: string | undefined;
  readonly 'keep-admin'?: string | undefined;
}) {
  return {
    activityDays: daysOf('--keep-activity', flags['keep-activity'], leastActivityDays),
    adminDays: daysOf('--keep-admin', flags['keep-admin'], leastAdminDays),
  };
}

function daysOf(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const days = Math.floor(parseDuration(text) / daySeconds);
  if (days >= least) return days;
  throw cloudError(
    'USAGE_INVALID',
    `${flag} is ${text}: these logs are kept for ${least} days at least.`,
    `Give ${least}d or more, or leave the flag out to keep them for ever.`,
  );
}
