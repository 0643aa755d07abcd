import * as z from 'zod';
import { envSecretSchema } from '#contracts/identity';
import { restSettingsSchema } from '#contracts/rest-settings';
import type { LogLevel } from '#kernel/ports/logger';
import type { CustomizeErrorMessage } from '../../surfaces/request/public-error.ts';
import { defaultRequestLimits } from '../../surfaces/request/request-limits.ts';
import type { Telemetry, TelemetryMeter, TelemetryTracer } from '../../surfaces/request/telemetry.ts';
import { refusalOfOptions } from '../../user-code/refused-options.ts';
import { type ByteSize, byteSizeSchema } from './byte-size.ts';

/** Receives what the agent has to say. `fields` are facts for a log, an `error` among them where there is one. */
export type LogFunction = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** How bodies of requests are read. */
export interface BodyParserOptions {
  /** How large a JSON body may be. Default: `maxBodySize`. */
  readonly jsonLimit?: ByteSize;
  /** How large the body of a form may be. Default `56kb`. */
  readonly formLimit?: ByteSize;
  /** Changes nothing: a body that the application around the agent has read is always taken from there. */
  readonly enableRawChecking?: boolean;
}

/** How much the agent takes on at once. */
export interface RequestLimitOptions {
  /** Requests in progress, whose bodies have arrived; further ones are asked to come again. Default 1,000. */
  readonly concurrentRequests?: number;
  /**
   * Milliseconds until a body has to have arrived and an answer has to begin; then the request is given up, in the database
   * too. Default 120,000.
   */
  readonly requestTimeoutMs?: number;
  /** Requests that wait for their bodies; where there are more, the oldest is given up for the newest. Default 500. */
  readonly unfinishedBodies?: number;
  /** The same for one address. Default 100. */
  readonly unfinishedBodiesPerAddress?: number;
  /**
   * Seconds a minute that the requests of one person over a quarter of a second may take, all together, and a sixth of that at a
   * stretch. Further ones are asked to come again. Default 120: two slow requests at any time. `null` for no bound.
   */
  readonly slowSecondsPerMinute?: number | null;
  /**
   * How many slow reads of one person are in progress at once. After a read of over a quarter of a second the next one waits for it, three
   * seconds at most. Quick ones make room for more. Default: 2. `null` for no bound.
   */
  readonly slowReadsPerPerson?: number | null;
  /** How large a JSON answer may be. Default `64mb`. */
  readonly maxResponseSize?: ByteSize;
}

/** Experimental options, which may still change. */
export interface ExperimentalOptions {
  /** Take actions that call an address, of these origins only; signed with `secret` where there is one. Default: none. */
  readonly webhookCustomActions?: { readonly allowedOrigins: readonly string[]; readonly secret?: string } | false;
  /** Take actions that write values into the selected records. Default false. */
  readonly updateRecordCustomActions?: boolean;
}

/** How the REST API takes the parameters of requests. */
export interface RestOptions {
  /**
   * The time zone of a request that names none: an IANA name, or `person` for the tag `timezone` of the person. Default: such a request is
   * refused.
   */
  readonly defaultTimezone?: string | undefined;
  /** What becomes of a parameter that no route knows: a line of the log, or 400, with the nearest name. Default `ignore`. */
  readonly unknownParameters?: 'ignore' | 'log' | 'refuse' | undefined;
  /** Origins that the result `webhook` of an action may have a client call: of https, and of this machine in development. Default: none. */
  readonly webhookOrigins?: readonly string[] | undefined;
}

/** Options of `createAgent`. */
export interface AgentOptions {
  /** Signs the session tokens: the value of `SERVICE_AUTH_SECRET`. */
  readonly authSecret: string;
  /** Secret of the environment, 64 lower-case hexadecimal digits: the value of `SERVICE_ENV_SECRET`. */
  readonly envSecret: string;
  /** In production the schema file is read rather than written, and no typings are made. Default false. */
  readonly isProduction?: boolean;
  /** Default: JSON lines on the standard error stream. */
  readonly logger?: LogFunction;
  /** Least important level that is logged. Default `Info`. */
  readonly loggerLevel?: LogLevel;
  /** Path the REST API is below: letters, digits and `-~/_`. Default `/service`. */
  readonly prefix?: string;
  /** Default `.service-schema.json` in the working folder. */
  readonly schemaPath?: string;
  /** The file for typings. Without it, none are written. */
  readonly typingsPath?: string;
  /** How many relations a path `relation:relation:field` may follow before it is a compile error. Default 5. */
  readonly typingsMaxDepth?: number;
  /** Address of the platform. Default: `SERVICE_SERVER_URL`, else the local one, with which production does not start. */
  readonly serverUrl?: string;
  /** How many records a CSV export holds at most. Default: all. */
  readonly limitExportSize?: number | null;
  /** Listen for changes of permissions, which then work at once. Default true. */
  readonly instantCacheRefresh?: boolean;
  /** How long permissions are believed while no changes are announced. Default 900; less than 60 counts as 60. */
  readonly permissionsCacheDurationInSeconds?: number;
  /** The folder in which reports of what people do wait for the platform, and its size limit; `false` reports nothing. */
  readonly activityOutbox?: ActivityOutboxOption | false;
  /** Whether the REST API records a write before it begins, and refuses one that it cannot record. Default false. */
  readonly activityRequired?: boolean;
  /** Origins whose pages may use the session cookie. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /**
   * Addresses and ranges of proxies before the agent, such as `10.0.0.0/8`. The agent believes what their
   * `X-Forwarded-For` and `X-Forwarded-Proto` say about the client. Default: none.
   */
  readonly trustedProxies?: readonly string[];
  /** How large a JSON body of a request may be, in bytes or as text. Default `50mb`. */
  readonly maxBodySize?: ByteSize;
  readonly bodyParserOptions?: BodyParserOptions;
  /**
   * The `detail` of an answer that is an error, where it returns one. Gets what was thrown: of customization code, what
   * that threw itself. Default: what may be told of the error.
   */
  readonly customizeErrorMessage?: CustomizeErrorMessage;
  readonly limits?: RequestLimitOptions;
  /** How the REST API takes parameters. */
  readonly rest?: RestOptions;
  /** Address actions by the slug of their name only, so that their order may change; two of one slug keep the agent from starting. Default false. */
  readonly useUnsafeActionEndpoint?: boolean;
  /**
   * Leave a customization out, with a warning in the log, when it names a collection, field or relation that is not there,
   * and what depends on it. Default false: the agent does not start.
   */
  readonly ignoreMissingSchemaElementErrors?: boolean;
  /** Neither write the schema file nor send it. Default false. */
  readonly skipSchemaUpdate?: boolean;
  /** Actions that are made on the platform, without code. */
  readonly experimental?: ExperimentalOptions;
  /** A tracer and a meter of OpenTelemetry, or similar objects, that requests are reported to. Default: none. */
  readonly telemetry?: Telemetry;
}

interface ActivityOutboxOption {
  /** Several agents may share it. Default: `.service-activity` beside the schema file. */
  readonly folder?: string;
  /** Default 16 MiB. */
  readonly maxBytes?: number;
  /**
   * Whether the report of a write is on the disk before the write is answered. Default true. Without it writes are answered a
   * little sooner, and a process that is killed loses the reports of its last tenth of a second.
   */
  readonly durableWrites?: boolean;
}

/** As browsers write it: `https://App.example/` is `https://app.example`. One of an app, `capacitor://localhost`, stays. */
const originSchema = z
  .url('it must be an origin, such as https://app.example.com')
  .refine((url) => /^[^:]+:\/\/[^/?#]+\/?$/.test(url), 'it must be an origin, without a path')
  .transform((url) => {
    const { origin } = new URL(url);
    return origin === 'null' ? url.replace(/\/$/, '') : origin;
  });

/** A range of all addresses would let any client say what it likes. */
const proxySchema = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'it must be an address or a range, such as 10.0.0.0/8')
  .refine((range) => !range.endsWith('/0'), 'it must not be a range of all addresses');

const leastOutboxBytes = 64 * 1024;
const logLevels = ['Debug', 'Info', 'Warn', 'Error'] as const satisfies readonly LogLevel[];

const outboxSchema = z.strictObject({
  folder: z.string().min(1, 'it must not be empty').optional(),
  maxBytes: z
    .int('it must be a whole number')
    .min(leastOutboxBytes, `it must be at least ${leastOutboxBytes}`)
    .optional(),
  durableWrites: z.boolean().optional(),
});

/** The schema of the options. Exported for the page about them. */
export const agentOptionsSchema = z.strictObject({
  authSecret: z.string().min(1, 'it must not be empty'),
  envSecret: envSecretSchema,
  isProduction: z.boolean().default(false),
  logger: z.custom<LogFunction>((value) => typeof value === 'function', 'it must be a function').optional(),
  loggerLevel: z.enum(logLevels).default('Info'),
  prefix: z
    .string()
    .regex(/^[-~/\w]*$/, 'only letters, digits and - ~ / _ are allowed')
    .default('/service'),
  schemaPath: z.string().min(1, 'it must not be empty').default('.service-schema.json'),
  typingsPath: z.string().min(1, 'it must not be empty').optional(),
  typingsMaxDepth: z.int().positive().optional(),
  serverUrl: z.url({ protocol: /^https?$/, error: 'it must be an http or https address' }).optional(),
  limitExportSize: z.int('it must be a whole number').positive('it must be positive').nullish(),
  instantCacheRefresh: z.boolean().default(true),
  permissionsCacheDurationInSeconds: z.number('it must be a number').positive('it must be positive').default(900),
  allowedOrigins: z.array(originSchema).default([]),
  trustedProxies: z.array(proxySchema).default([]),
  maxBodySize: byteSizeSchema.prefault('50mb'),
  bodyParserOptions: z
    .strictObject({
      jsonLimit: byteSizeSchema.optional(),
      formLimit: byteSizeSchema.prefault('56kb'),
      enableRawChecking: z.boolean().default(false),
    })
    .prefault({}),
  customizeErrorMessage: z
    .custom<CustomizeErrorMessage>((value) => typeof value === 'function', 'it must be a function')
    .optional(),
  limits: z
    .strictObject({
      concurrentRequests: z
        .int('it must be a whole number')
        .positive()
        .default(defaultRequestLimits.concurrentRequests),
      requestTimeoutMs: z
        .int('it must be a whole number')
        .positive()
        .max(2 ** 31 - 1, 'it must be less than 25 days')
        .default(defaultRequestLimits.requestTimeoutMs),
      slowSecondsPerMinute: z
        .number('it must be a number')
        .positive()
        .nullable()
        .default(defaultRequestLimits.slowSecondsPerMinute),
      slowReadsPerPerson: z
        .int('it must be a whole number')
        .positive()
        .nullable()
        .default(defaultRequestLimits.slowReadsPerPerson),
      maxResponseSize: byteSizeSchema.prefault('64mb'),
      unfinishedBodies: z.int('it must be a whole number').positive().default(defaultRequestLimits.unfinishedBodies),
      unfinishedBodiesPerAddress: z
        .int('it must be a whole number')
        .positive()
        .default(defaultRequestLimits.unfinishedBodiesPerAddress),
    })
    .prefault({}),
  rest: restSettingsSchema
    .extend({ unknownParameters: restSettingsSchema.shape.unknownParameters.default('ignore') })
    .prefault({}),
  useUnsafeActionEndpoint: z.boolean().default(false),
  ignoreMissingSchemaElementErrors: z.boolean().default(false),
  skipSchemaUpdate: z.boolean().default(false),
  experimental: z
    .strictObject({
      webhookCustomActions: z
        .union([
          z.literal(false),
          z.strictObject({
            allowedOrigins: z.array(
              originSchema.refine((origin) => /^https?:/.test(origin), 'it must be an http or https origin'),
            ),
            secret: z.string().min(1, 'it must not be empty').optional(),
          }),
        ])
        .default(false),
      updateRecordCustomActions: z.boolean().default(false),
    })
    .prefault({}),
  telemetry: z
    .strictObject({
      tracer: z.custom<TelemetryTracer>((value) => hasMethod(value, 'startSpan'), 'it must be a tracer').optional(),
      meter: z.custom<TelemetryMeter>((value) => hasMethod(value, 'createHistogram'), 'it must be a meter').optional(),
    })
    .optional(),
  activityOutbox: z.union([z.literal(false), outboxSchema]).default({}),
  activityRequired: z.boolean().default(false),
});

const consistentOptionsSchema = agentOptionsSchema.refine(
  ({ activityOutbox, activityRequired }) => activityOutbox !== false || !activityRequired,
  { path: ['activityRequired'], error: 'without an outbox nothing can be recorded' },
);

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}

export type ParsedAgentOptions = z.output<typeof agentOptionsSchema>;

/** Check the options and fill in the defaults. Throws `AGENT_OPTION_INVALID`, which names the option, never its value. */
export function parseAgentOptions(options: unknown): ParsedAgentOptions {
  const parsed = consistentOptionsSchema.safeParse(options);
  if (parsed.success) return { ...parsed.data, prefix: normalizePrefix(parsed.data.prefix) };
  throw refusalOfOptions(agentOptionsSchema, parsed.error);
}

/** `service//v1/` → `/service/v1`; nothing and `/` → nothing. */
function normalizePrefix(prefix: string): string {
  const parts = prefix.split('/').filter((part) => part !== '');
  return parts.map((part) => `/${part}`).join('');
}
