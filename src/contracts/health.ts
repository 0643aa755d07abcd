import * as z from 'zod';

/** `GET /health`, no credentials. `service` tells a platform from whatever else may listen on a port. */
export const healthSchema = z.object({ status: z.literal('ok'), service: z.literal('vendor-cloud-platform') });

/** `GET /ready`, no credentials: 200 when the platform may be sent requests, 503 with a reason when it may not. */
const readinessSchema = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ready') }),
  z.object({ status: z.literal('not-ready'), reason: z.string() }),
]);

export type Health = z.infer<typeof healthSchema>;
export type Readiness = z.infer<typeof readinessSchema>;
