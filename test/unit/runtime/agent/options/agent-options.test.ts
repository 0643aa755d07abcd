import { describe, expect, it } from 'vitest';
import { parseAgentOptions } from '#runtime/agent/options/agent-options';

const valid = { authSecret: 'secret', envSecret: 'a'.repeat(64) };

describe('options of an agent', () => {
  it('have defaults', () => {
    expect(parseAgentOptions(valid)).toMatchObject({
      prefix: '/service',
      schemaPath: '.service-schema.json',
      isProduction: false,
      loggerLevel: 'Info',
      instantCacheRefresh: true,
      permissionsCacheDurationInSeconds: 900,
    });
  });

  it.each([
    ['/service', '/service'],
    ['service//v1/', '/service/v1'],
    ['/', ''],
    ['', ''],
  ])('turn the prefix %o into %o', (prefix, normalized) => {
    expect(parseAgentOptions({ ...valid, prefix }).prefix).toBe(normalized);
  });

  it.each([
    [{}, 50 * 1024 ** 2],
    [{ maxBodySize: '2kb' }, 2048],
    [{ maxBodySize: '1.5 MB' }, 1.5 * 1024 ** 2],
    [{ maxBodySize: '2kb', bodyParserOptions: { jsonLimit: 100 } }, 100],
    [{ bodyParserOptions: { enableRawChecking: true } }, 50 * 1024 ** 2],
  ])('limit bodies: %o', (given, bytes) => {
    const { maxBodySize, bodyParserOptions } = parseAgentOptions({ ...valid, ...given });
    expect(bodyParserOptions.jsonLimit ?? maxBodySize).toBe(bytes);
    expect(bodyParserOptions.formLimit).toBe(56 * 1024);
  });

  it('take origins as browsers write them', () => {
    const allowedOrigins = ['https://App.example/', 'http://localhost:80', 'capacitor://localhost'];
    const taken = ['https://app.example', 'http://localhost', 'capacitor://localhost'];
    expect(parseAgentOptions({ ...valid, allowedOrigins }).allowedOrigins).toEqual(taken);
  });

  it.each([
    ['loggerlevel', { loggerlevel: 'Info' }, 'loggerLevel'],
    ['bodyParserOptions.jsonLmit', { bodyParserOptions: { jsonLmit: 1 } }, 'jsonLimit'],
    ['activityOutbox.maxbytes', { activityOutbox: { maxbytes: 1 } }, 'maxBytes'],
  ])('name the nearest option for "%s", which does not exist', (option, change, nearest) => {
    const message = `The option "${option}" is invalid: there is no such option; the nearest one is "${nearest}".`;
    expect(() => parseAgentOptions({ ...valid, ...change })).toThrow(message);
  });

  it.each([
    ['authSecret', { authSecret: '' }],
    ['authSecret', { authSecret: undefined }],
    ['envSecret', { envSecret: 'A'.repeat(64) }],
    ['envSecret', { envSecret: 'hunter2' }],
    ['prefix', { prefix: '/a b' }],
    ['loggerLevel', { loggerLevel: 'Loud' }],
    ['logger', { logger: 'console' }],
    ['serverUrl', { serverUrl: 'ftp://example.test' }],
    ['typingsMaxDepth', { typingsMaxDepth: 0 }],
    ['trustedProxies.0', { trustedProxies: ['loopback'] }],
    ['trustedProxies.1', { trustedProxies: ['10.0.0.1', '10.0.0.0/33'] }],
    ['trustedProxies.0', { trustedProxies: ['::/0'] }],
    ['maxBodySize', { maxBodySize: 'much' }],
    ['maxBodySize', { maxBodySize: '0mb' }],
    ['maxBodySize', { maxBodySize: '1gb' }],
    ['bodyParserOptions', { bodyParserOptions: '1mb' }],
    ['bodyParserOptions.jsonLimit', { bodyParserOptions: { jsonLimit: -1 } }],
    ['bodyParserOptions.jsonLmit', { bodyParserOptions: { jsonLmit: 1 } }],
    ['limits.requestTimeoutMs', { limits: { requestTimeoutMs: 0 } }],
    ['limits.requestTimeoutMs', { limits: { requestTimeoutMs: 2 ** 31 } }],
    ['experimental.webhookCustomActions', { experimental: { webhookCustomActions: true } }],
    [
      'experimental.webhookCustomActions.allowedOrigins.0',
      { experimental: { webhookCustomActions: { allowedOrigins: ['https://hooks.example/path'] } } },
    ],
    [
      'experimental.webhookCustomActions.allowedOrigins.0',
      { experimental: { webhookCustomActions: { allowedOrigins: ['capacitor://localhost'] } } },
    ],
    ['limits.requests', { limits: { requests: 1 } }],
    ['telemetry.tracer', { telemetry: { tracer: {} } }],
    ['customizeErrorMessage', { customizeErrorMessage: 'Oh' }],
    ['instantCacheRefresh', { instantCacheRefresh: 'yes' }],
    ['permissionsCacheDurationInSeconds', { permissionsCacheDurationInSeconds: '900' }],
    ['permissionsCacheDurationInSeconds', { permissionsCacheDurationInSeconds: -1 }],
    ['allowedOrigins.0', { allowedOrigins: ['*'] }],
    ['allowedOrigins.1', { allowedOrigins: ['https://app.example', 'app.example'] }],
    ['allowedOrigins.0', { allowedOrigins: ['https://app.example/shop'] }],
    ['activityOutbox', { activityOutbox: true }],
    ['activityOutbox.maxBytes', { activityOutbox: { maxBytes: 1 } }],
    ['activityRequired', { activityRequired: true, activityOutbox: false }],
    ['envSecrte', { envSecrte: 'x' }],
  ])('name %s when it is wrong, and never its value', (option, change) => {
    let thrown: unknown;
    try {
      parseAgentOptions({ ...valid, ...change });
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'AGENT_OPTION_INVALID', message: expect.stringContaining(`"${option}"`) });
    expect(String(thrown)).not.toContain('hunter2');
  });
});
