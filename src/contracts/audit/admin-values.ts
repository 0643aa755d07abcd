import * as z from 'zod';

/**
 * What a change of the configuration says of the thing that it changed, before and after: names and settings, no secret. The four
 * core resources have the shapes that every client of the API knows; nothing is added to them.
 */

export const auditUserSchema = z.strictObject({
  object: z.literal('user'),
  id: z.number().int(),
  email: z.string(),
  username: z.string(),
});

const nameSchema = z.strictObject({ name: z.string() });

/** A member of the project. */
export const userProjectValueSchema = z.strictObject({
  user: auditUserSchema,
  permissionLevel: z.enum(['admin', 'editor', 'user', 'developer', 'manager']),
  tags: z.array(z.strictObject({ key: z.string(), value: z.string() })),
  role: nameSchema,
  teams: z.array(nameSchema),
});

const environmentValueSchema = z.strictObject({
  name: z.string(),
  /** Number of the version that it serves; `null` before the first deployment. */
  codeCustomizationVersion: z.string().nullable(),
});

/** By core resource. */
export const coreValueSchemas = {
  'user-project': userProjectValueSchema,
  role: nameSchema,
  team: nameSchema,
  environment: environmentValueSchema,
} as const;

type Person = z.infer<typeof auditUserSchema>;

/** By resource. The environment that a change is about is in its entry. */
export interface AdminValues {
  readonly 'user-project': z.infer<typeof userProjectValueSchema>;
  readonly role: z.infer<typeof nameSchema>;
  readonly team: z.infer<typeof nameSchema>;
  readonly environment: z.infer<typeof environmentValueSchema>;
  /** A role that somebody takes for a time. An update is the answer to what they asked for. */
  readonly elevation: {
    readonly user: Person;
    readonly role: string;
    readonly reason: string;
    readonly minutes: number;
    readonly state: 'asked' | 'active' | 'refused';
    readonly endsAt: string | null;
  };
  /** A request to run an action that needs an approval. `digest` is that of who asked for what. */
  readonly approval: {
    readonly id: number;
    readonly user: Person;
    readonly collection: string;
    readonly action: string;
    readonly records: number;
    readonly digest: string;
    readonly state: 'asked' | 'granted' | 'refused' | 'withdrawn' | 'lapsed';
  };
  readonly project: z.infer<typeof nameSchema>;
  /** A role or a team that somebody has beside the first one. */
  readonly membership: {
    readonly user: Person;
    readonly kind: 'role' | 'team';
    readonly name: string;
    readonly source: 'given' | 'group';
    /** Name of the group that it comes from. */
    readonly group?: string;
  };
  readonly 'environment-settings': { readonly agentAddresses: readonly string[] };
  readonly 'environment-secret': Readonly<Record<string, never>>;
  /** A token of programs. `hint` is the end of its newest secret: an update is a new secret. */
  readonly 'api-token': {
    readonly id: number;
    readonly name: string;
    readonly hint: string;
    readonly scopes: readonly string[];
    readonly allowedCidrs: readonly string[];
    readonly expiresAt: string | null;
  };
  /** A token of a person. */
  readonly 'access-token': { readonly user: Person; readonly purpose: string; readonly expiresAt: string };
  readonly invitation: {
    readonly email: string;
    readonly permissionLevel: string;
    readonly role: string;
    readonly team: string | null;
    /** All of them, where there are several. */
    readonly roles?: readonly string[];
    readonly teams?: readonly string[];
    readonly state: 'open' | 'accepted';
    readonly expiresAt: string;
  };
  readonly rights: {
    readonly revision: number;
    /** What only this revision says, one sentence each; the first of them. */
    readonly sentences: readonly string[];
    /** How many more sentences there are. */
    readonly more: number;
  };
  /** Rights that nobody is refused by: what people do is held against them. */
  readonly 'rights-watch': {
    /** SHA-256 of the document. */
    readonly digest: string;
    /** What people would lose by it, one sentence each; the first of them. */
    readonly sentences: readonly string[];
    readonly more: number;
  };
  readonly 'ip-rules': {
    readonly isLimited: boolean;
    /** Addresses that may reach the data; the first of them. */
    readonly addresses: readonly string[];
    readonly more: number;
  };
  readonly deployment: {
    readonly number: number;
    readonly version: number;
    readonly variablesRevision: number;
    readonly state: string;
    /** Number of the earlier deployment that it goes back to. */
    readonly rollbackTo?: number;
  };
  readonly version: { readonly number: number; readonly digest: string; readonly message: string };
  /** Names only. */
  readonly variables: {
    readonly revision: number;
    readonly set?: readonly string[];
    readonly unset?: readonly string[];
  };
  readonly 'sign-in-key': { readonly id: string };
  /** What somebody was signed in with, other than tokens. */
  readonly session: { readonly user: Person; readonly kind: string; readonly purpose: string };
  /** `expiresAt` of a link that sets one. */
  readonly password: { readonly user: Person; readonly expiresAt?: string };
  /** What somebody signs in with beside a password. `recovery codes` are a new set of them, `setup` is a time to set one up. */
  readonly 'second-factor': {
    readonly user: Person;
    readonly kind: 'passkey' | 'totp' | 'recovery codes' | 'setup';
    readonly name: string;
  };
  /** Whether the people of a role need a second factor. */
  readonly 'second-factor-demand': { readonly role: string; readonly isNeeded: boolean };
  /** What a group of the company gives. */
  readonly 'group-mapping': {
    readonly group: string;
    readonly roles: readonly string[];
    readonly teams: readonly string[];
    readonly makesAdministrator: boolean;
  };
  /** A token with which the company provisions people. */
  readonly 'scim-token': {
    readonly id: number;
    readonly name: string;
    readonly hint: string;
    readonly role: string;
    readonly team: string;
  };
  /** A program that a person has let in to the MCP server. */
  readonly 'mcp-client': {
    readonly user: Person;
    /** What it calls itself. */
    readonly client: string | null;
    readonly redirectUris: readonly string[];
    readonly scopes: readonly string[];
    /** The client of the rights of the environment that it counts as. */
    readonly countsAs?: string | undefined;
    /** What was set for it. */
    readonly rights?: object | undefined;
  };
  /** The mark of an MCP session, which has read what outsiders can write. `readCount`: how many such places. */
  readonly 'mcp-mark': {
    readonly user: Person;
    /** The OAuth client; empty for programs with a token of the person. */
    readonly client: string;
    readonly markedAt: string;
    readonly readCount: number;
  };
  /** An administrator sees the console as somebody does. `user`: the person that they see it as. */
  readonly impersonation: { readonly user: Person; readonly expiresAt: string };
  /** The clock of the platform went back. `log` is the chain whose rows have later times than they should. */
  readonly clock: { readonly log: string; readonly at: string };
}
