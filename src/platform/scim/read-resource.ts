import * as z from 'zod';
import { keptText } from '#contracts/kept-text';
import { emailSchema } from '#contracts/people';
import { fromLibrary, scimError } from './scim-errors.ts';
import { type Resource, rootOf, type WantedGroup, type WantedUser, withoutSchema } from './scim-resources.ts';

/** Entra ID sends "True" and "False" as texts. */
const lenientBoolean = z.preprocess(
  (value) => (typeof value === 'string' && /^(?:true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value),
  z.boolean(),
);
const nameText = z.string().trim().max(100).nullish();
const externalId = z.string().max(500).nullish();

const userSchema = z.object({
  username: keptText.trim().min(1).max(254),
  externalid: externalId,
  name: z.preprocess(lowerKeys, z.object({ givenname: nameText, familyname: nameText, formatted: nameText })).nullish(),
  displayname: nameText,
  emails: z
    .array(z.preprocess(lowerKeys, z.object({ value: z.string(), primary: lenientBoolean.optional() })))
    .max(50)
    .nullish(),
  active: lenientBoolean.default(true),
});

const groupSchema = z.object({
  displayname: keptText.trim().min(1).max(200),
  externalid: externalId,
  members: z
    .array(z.preprocess(lowerKeys, z.object({ value: z.coerce.string() })))
    .max(50_000)
    .nullish(),
});

/** Names of attributes are the same in capital letters. */
export function lowerKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name.toLowerCase(), inner]));
}

/** What a client wants somebody to be. What it says beside the attributes that the platform keeps is left out. */
export function readUser(body: unknown): WantedUser {
  const { username, externalid, name, displayname, emails, active } = read(userSchema, body);
  const [primary = emails?.[0]] = emails?.filter((each) => each.primary) ?? [];
  const email = emailSchema.safeParse(primary?.value ?? username);
  if (!email.success) {
    throw scimError('invalidValue', 'The user has no e-mail address.', 'Send "emails", or an address as "userName".');
  }
  const [first = '', ...rest] = (name?.formatted || displayname || '').split(/\s+/);
  return {
    userName: username,
    email: email.data,
    externalId: externalid ?? null,
    givenName: name?.givenname || first || (email.data.split('@')[0] ?? ''),
    familyName: name?.familyname || rest.join(' '),
    isActive: active,
  };
}

export function readGroup(body: unknown): WantedGroup {
  const { displayname, externalid, members } = read(groupSchema, body);
  return { name: displayname, externalId: externalid ?? null, memberIds: idsOf(members ?? []) };
}

/** An id that the platform did not give names nobody, and is refused by whoever looks for it. */
function idsOf(members: readonly { readonly value: string }[]): readonly number[] {
  return [...new Set(members.map(({ value }) => (/^\d{1,15}$/.test(value) ? Number(value) : 0)))];
}

/** @param shape of an object whose names are in lower case. */
export function read<Shape extends z.ZodType>(
  shape: Shape,
  body: unknown,
  scimType: 'invalidValue' | 'invalidSyntax' = 'invalidValue',
): z.infer<Shape> {
  const parsed = shape.safeParse(lowerKeys(body));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw scimError(scimType, `"${place}" is not valid: ${issue?.message}.`, 'Correct the attribute.', parsed.error);
}

/** `schemas` of a message, which says what the message is. */
export function messageOf(id: string) {
  return z.array(z.string()).refine((ids) => ids.includes(id), `it needs ${id}`);
}

const patchSchemaId = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
/** Entra ID begins operations with a capital letter. */
const verbSchema = z.preprocess(
  (op) => (typeof op === 'string' ? op.toLowerCase() : op),
  z.enum(['add', 'remove', 'replace']),
);
const operationSchema = z.object({ op: verbSchema, path: z.string().optional(), value: z.unknown().optional() });
const patchSchema = z.object({
  schemas: messageOf(patchSchemaId),
  operations: z.array(z.preprocess(lowerKeys, operationSchema)).min(1).max(1000),
});

const kept = {
  User: new Set(['username', 'externalid', 'name', 'displayname', 'emails', 'active']),
  Group: new Set(['displayname', 'externalid', 'members']),
} as const;

/** What only the platform changes. The library refuses it. */
const readOnly = new Set(['id', 'meta', 'schemas']);

/**
 * What a `PATCH` makes of a resource. Attributes that the platform does not keep, such as those of the enterprise schema, are left out: clients send
 * them with everything else.
 *
 * @throws `REQUEST_INVALID`, and so does the function that it resolves to.
 */
export async function preparePatch(
  kind: 'User' | 'Group',
  body: unknown,
): Promise<(resource: Resource) => Promise<unknown>> {
  const { operations } = read(patchSchema, body, 'invalidSyntax');
  const all = operations.flatMap((operation) => prepared(kind, operation));
  const { default: scimmy } = await import('scimmy');
  return async (resource) => {
    const { meta: _meta, groups: _groups, ...known } = resource;
    if (all.length === 0) return known;
    try {
      const target = kind === 'User' ? new scimmy.Schemas.User(known, 'out') : new scimmy.Schemas.Group(known, 'out');
      const patch = new scimmy.Messages.PatchOp({ schemas: [patchSchemaId], Operations: [...all] });
      // Nothing comes back where nothing has changed.
      const result: unknown = await patch.apply(target);
      return result === undefined ? known : JSON.parse(JSON.stringify(result));
    } catch (error) {
      throw fromLibrary(error, 'invalidValue');
    }
  };
}

type Operation = z.infer<typeof operationSchema>;

interface PreparedOperation {
  readonly op: 'add' | 'remove' | 'replace';
  readonly path?: string;
  readonly value?: unknown;
}

function prepared(kind: 'User' | 'Group', { op, path, value }: Operation): readonly PreparedOperation[] {
  if (path !== undefined) {
    const plain = withoutSchema(path);
    if (isLeftOut(kind, plain)) return [];
    return [{ op, path: plain, ...(value === undefined ? {} : { value: plainValue(rootOf(plain), value) }) }];
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [{ op, value }];
  // Without a path, the value has several attributes. Some clients write paths there: `name.givenName`.
  return Object.entries(value)
    .filter(([name]) => !isLeftOut(kind, withoutSchema(name)))
    .filter(([name]) => !readOnly.has(rootOf(name)))
    .map(([name, inner]) => ({
      op,
      path: withoutSchema(name),
      value: plainValue(rootOf(withoutSchema(name)), inner),
    }));
}

/** Attributes of other schemas, and those of the core schema that the platform does not keep. */
function isLeftOut(kind: 'User' | 'Group', path: string): boolean {
  const root = rootOf(path);
  return path.toLowerCase().startsWith('urn:') || (others.has(root) && !kept[kind].has(root));
}

/** The rest of the core schema of users. */
const others = new Set([
  ...['nickname', 'profileurl', 'title', 'usertype', 'preferredlanguage', 'locale', 'timezone', 'password'],
  ...['phonenumbers', 'ims', 'photos', 'addresses', 'entitlements', 'roles', 'x509certificates'],
]);

function plainValue(root: string, value: unknown): unknown {
  if (root === 'active') return lenientBoolean.safeParse(value).data ?? value;
  if (root === 'members') return Array.isArray(value) ? value.map(plainMember) : plainMember(value);
  if (root !== 'emails' || !Array.isArray(value)) return value;
  return value.map((each: unknown) => {
    if (each === null || typeof each !== 'object' || !('primary' in each)) return each;
    return { ...each, primary: lenientBoolean.safeParse(each.primary).data ?? each.primary };
  });
}

/** A member is who its `value` says. Entra ID writes `"$ref": null` beside it, also in what is to be removed. */
function plainMember(member: unknown): unknown {
  if (member === null || typeof member !== 'object' || !('value' in member)) return member;
  return { value: String(member.value) };
}
