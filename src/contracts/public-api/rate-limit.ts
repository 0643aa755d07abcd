import * as z from 'zod';

/** `GET /v1/rate-limit`: what is left of each quota. */
export const rateLimitSchema = z.strictObject({
  object: z.literal('rate-limit'),
  policies: z.array(
    z.strictObject({
      name: z.string(),
      limit: z.int(),
      windowSeconds: z.int(),
      remaining: z.int(),
      /** Seconds until there is one unit more. */
      nextInSeconds: z.int(),
    }),
  ),
});

export type RateLimit = Readonly<z.output<typeof rateLimitSchema>>;
