import * as z from 'zod';

/** Stands for the time zone of the person who asks. */
export const zoneOfPerson = 'person';

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
  webhookOrigins: z
    .array(z.string().refine(isSecureOrigin, 'it must be an origin of https, such as https://hooks.example.com'))
    .max(50, 'it must have at most 50 origins')
    .optional()
    .describe(
      'Origins that the result "webhook" of an action may have a client call. Clients show other calls instead. Default: none.',
    ),
});

export type RestSettings = z.infer<typeof restSettingsSchema>;

function isSecureOrigin(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.origin === text && !url.hostname.includes('*');
}

function isTimezone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
