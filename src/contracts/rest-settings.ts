import * as z from 'zod';

/** Stands for the time zone of the person who asks. */
export const zoneOfPerson = 'person';

const ofHttps = /^https:\/\/[a-z0-9_.-]+(:\d+)?$/;
const ofThisMachine = /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/;

/** An origin that the policy of a page can name as it is: without a sign that would end the rule, and without an address of IPv6. */
export const webhookOriginsSchema = z
  .array(
    z
      .string()
      .refine(
        isWebhookOrigin,
        'it must be an origin of https, such as https://hooks.example.com, or of this machine, such as http://localhost:8080',
      ),
  )
  .max(50, 'it must have at most 50 origins');

/** Whether an origin is one of the machine that the browser runs on, which only a developer calls. */
export function isOfThisMachine(origin: string): boolean {
  return ofThisMachine.test(origin);
}

/** How lenient the REST API is with the parameters of requests. */
export const restSettingsSchema = z.strictObject({
  defaultTimezone: z
    .string()
    .refine((zone) => zone === zoneOfPerson || isTimezone(zone), 'it must be an IANA time zone, or "person"')
    .optional()
    .describe(
      'Time zone of a request that names none: an IANA zone, or "person" for the tag "timezone" of the person. Without it such a request is refused.',
    ),
  unknownParameters: z
    .enum(['ignore', 'log', 'refuse'])
    .optional()
    .describe('What becomes of a parameter that no route knows. Default: "ignore"; "log" under dev.'),
  webhookOrigins: webhookOriginsSchema
    .optional()
    .describe(
      'Origins of https that the result "webhook" of an action may have a client call; in dev, origins of this machine too. Clients show other calls instead. Default: none.',
    ),
});

export type RestSettings = z.infer<typeof restSettingsSchema>;

function isWebhookOrigin(text: string): boolean {
  return (ofHttps.test(text) || ofThisMachine.test(text)) && URL.parse(text)?.origin === text;
}

function isTimezone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
