import * as z from 'zod';

/** Parameters in the addresses of the public API. Each is a text; an empty or repeated one is refused. */

/** Of an address that takes no parameters. */
export const noParameters = z.strictObject({});

/** How the API document describes a number in an address, which is a text there. */
export function wholeNumber(minimum: number, maximum: number) {
  return { type: 'integer', minimum, maximum, pattern: undefined } as const;
}

/** 1 to 100; 10 unless told otherwise. */
export const limitParameter = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, 'a whole number from 1 to 100')
  .transform(Number)
  .refine((limit) => limit <= 100, 'a whole number from 1 to 100')
  .meta(wholeNumber(1, 100))
  .default(10);

/** An id of the platform. */
export const idParameter = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'a whole number above 0')
  .transform(Number)
  .refine((id) => Number.isSafeInteger(id), 'a whole number above 0')
  .meta(wholeNumber(1, Number.MAX_SAFE_INTEGER));

/** No database keeps the character 0. */
export const textParameter = z
  .string()
  .min(1)
  .regex(/^\P{Cc}*$/u, 'a text without control characters');
export const nameParameter = textParameter.max(512);

/** A space is what becomes of a `+` that was not written as `%2B`. */
export const emailParameter = z
  .string()
  .max(320)
  .regex(/^[^\s@]+@[^\s@]+$/, 'an e-mail address (write "+" as %2B)');

const instantForm = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/;

/**
 * A date and time of RFC 3339, seconds and zone may be left out: UTC then. Digits beyond the millisecond are cut off. It becomes
 * milliseconds since the epoch.
 */
const instantParameter = z
  .string()
  .regex(instantForm, 'a time such as 2026-01-31T23:59:59.999Z (write "+" as %2B)')
  .transform((text, context) => {
    const [, day = '', zone] = /^\d{4}-\d{2}-(\d{2}).*?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
    const cut = text.replace(/(\.\d{3})\d+/, '$1');
    const time = Date.parse(zone === undefined ? `${cut}Z` : cut);
    // JavaScript takes 30 February for 1 March.
    const wall = Date.parse(`${text.slice(0, 10)}T00:00:00Z`);
    if (!Number.isNaN(time) && new Date(wall).getUTCDate() === Number(day)) return time;
    context.addIssue({ code: 'custom', message: 'a time that exists' });
    return z.NEVER;
  });

/** `createdAt.gte` and so on. */
export function rangeParameters<Name extends string>(name: Name) {
  const range = { eq: 0, lt: 0, lte: 0, gt: 0, gte: 0 } as const;
  const entries = Object.keys(range).map((bound) => [`${name}.${bound}`, instantParameter.optional()]);
  return Object.fromEntries(entries) as Record<`${Name}.${keyof typeof range}`, z.ZodOptional<typeof instantParameter>>;
}

/** The same as a page repeats them. */
export function echoedRange<Name extends string>(name: Name) {
  const time = z.iso.datetime().optional();
  const entries = (['eq', 'lt', 'lte', 'gt', 'gte'] as const).map((bound) => [`${name}.${bound}`, time]);
  return Object.fromEntries(entries) as Record<
    `${Name}.eq` | `${Name}.lt` | `${Name}.lte` | `${Name}.gt` | `${Name}.gte`,
    typeof time
  >;
}

/** What the page of every list repeats. */
export const echoedParameters = {
  projectName: z.string(),
  limit: z.int(),
  userEmail: z.string().optional(),
  userId: z.int().optional(),
};

/** What the page of a list of an environment repeats as well. */
export const echoedOfEnvironment = {
  ...echoedParameters,
  environmentName: z.string(),
  teamName: z.string().optional(),
  collectionName: z.string().optional(),
  recordId: z.string().optional(),
};

/** Refuses two bounds of the same side. */
export function oneBoundASide(name: string) {
  return (query: Readonly<Record<string, unknown>>, context: z.RefinementCtx): void => {
    for (const [one, other] of [
      ['gt', 'gte'],
      ['lt', 'lte'],
    ]) {
      if (query[`${name}.${one}`] === undefined || query[`${name}.${other}`] === undefined) continue;
      context.addIssue({ code: 'custom', path: [`${name}.${other}`], message: `not together with ${name}.${one}` });
    }
  };
}

export const cursorParameter = z.string().min(1).max(512);
export const orderParameter = z.enum(['asc', 'desc']);

/** Names that are separated by commas. */
export function listParameter<const Names extends readonly [string, ...string[]]>(names: Names) {
  return z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(z.enum(names)))
    .meta({ pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` });
}
