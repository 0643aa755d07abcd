import { z } from 'zod';

/** `GET /health`, no credentials. `service` tells a platform from whatever else may listen on a port. */
export const healthSchema = z.object({ status: z.literal('ok'), service: z.literal('vendor-cloud-platform') });

export type Health = z.infer<typeof healthSchema>;
