import { z } from 'zod';
import { envSecretSchema } from '#contracts/identity';
import { CloudError } from '#kernel/errors/cloud-error';
import type { LogLevel } from '#kernel/ports/logger';

/** Receives what the agent has to say. `fields` are facts for a log, an `error` among them where there is one. */
export type LogFunction = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

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
  /** Where typings are written; none are when it is absent. */
  readonly typingsPath?: string;
  /** How many relations a path `relation:relation:field` may follow before it is a compile error. Default 5. */
  readonly typingsMaxDepth?: number;
  /** Address of the platform. Default: `SERVICE_SERVER_URL`, else the local one, which production refuses. */
  readonly serverUrl?: string;
  /** How many records a CSV export holds at most. Default: all. */
  readonly limitExportSize?: number | null;
  /** Origins whose pages may use the session cookie. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

const logLevels = ['Debug', 'Info', 'Warn', 'Error'] as const satisfies readonly LogLevel[];

const optionsSchema = z.strictObject({
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
  allowedOrigins: z.array(z.string()).default([]),
});

export type ParsedAgentOptions = z.output<typeof optionsSchema>;

/** Check the options and fill in the defaults. Throws `AGENT_OPTION_INVALID`, which names the option, never its value. */
export function parseAgentOptions(options: unknown): ParsedAgentOptions {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return { ...parsed.data, prefix: normalizePrefix(parsed.data.prefix) };
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  throw invalidOption(unknown ?? issue?.path.join('.') ?? '', unknown ? 'there is no such option' : reasonOf(issue));
}

export function invalidOption(option: string, reason: string): CloudError {
  return new CloudError({
    code: 'AGENT_OPTION_INVALID',
    message: option === '' ? `The options are invalid: ${reason}.` : `The option "${option}" is invalid: ${reason}.`,
    nextSteps: ['Correct it where the agent is created.'],
  });
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  return issue?.message.replace(/^Invalid input: /, '') ?? 'they cannot be read';
}

/** `service//v1/` → `/service/v1`; nothing and `/` → nothing. */
function normalizePrefix(prefix: string): string {
  const parts = prefix.split('/').filter((part) => part !== '');
  return parts.map((part) => `/${part}`).join('');
}
