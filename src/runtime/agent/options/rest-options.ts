import type { RestServerOptions } from '../../surfaces/rest/rest-server-options.ts';
import type { ParsedAgentOptions } from './agent-options.ts';

/** The options of an agent's REST API. */
export function restOptionsOf(options: ParsedAgentOptions) {
  const { prefix, allowedOrigins, trustedProxies, limitExportSize, maxBodySize, bodyParserOptions } = options;
  const { jsonLimit = maxBodySize, formLimit } = bodyParserOptions;
  return {
    prefix,
    allowedOrigins: new Set(allowedOrigins),
    trustedProxies,
    exportLimit: limitExportSize ?? undefined,
    bodyLimits: { jsonBytes: jsonLimit, formBytes: formLimit },
    customizeErrorMessage: options.customizeErrorMessage,
    limits: options.limits,
    telemetry: options.telemetry,
  } satisfies Partial<RestServerOptions>;
}
