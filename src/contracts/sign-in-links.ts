import * as z from 'zod';

/** Where a one-time link leads, below the address of the platform. Its secret is behind the `#`, which no server is sent. */
export const signInLinkPath = '/sign-in-link';

/** `POST /api/sign-in-links`, on the platform of one developer and from the same machine only. */
export const makeSignInLinkSchema = z.strictObject({
  /** Id of the member whom the link signs in. Default: whoever asks. Another takes the right to manage people. */
  person: z.number().int().positive().optional(),
});

/** The answer, which alone has the link. It is good once, and for a minute; a newer link takes its place. */
export const signInLinkSchema = z.object({ link: z.url(), expiresAt: z.iso.datetime() });

export type SignInLink = z.infer<typeof signInLinkSchema>;
