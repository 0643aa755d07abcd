import * as z from 'zod';

/** Path of the file inside a project that says which platform and environment this copy of it belongs to. Git ignores it. */
export const projectLinkFile = '.vendor-cloud/link.json';

export const projectLinkSchema = z.strictObject({
  /** Address of the platform. */
  serverUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** Name of the environment that commands are about unless they name one. */
  environment: z.string().min(1).optional(),
});

/** Which platform and environment a copy of a project belongs to. */
export type ProjectLink = z.infer<typeof projectLinkSchema>;
