import { boolean, integer, string } from '@oclif/core/flags';

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
