import * as z from 'zod';

const scope = z
  .string()
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(['single', 'bulk', 'global']))
  .default('single');

/**
 * An action that somebody made on the platform, without code: one that calls an address with the keys of the selected
 * records, or one that writes values into them.
 */
export const modelCustomizationSchema = z.object({
  name: z.string().min(1),
  type: z.literal('action'),
  /** Name of the collection. */
  modelName: z.string().min(1),
  configuration: z.discriminatedUnion('type', [
    z.object({
      type: z.literal('webhook'),
      scope,
      configuration: z.object({ url: z.url({ protocol: /^https?$/ }) }),
    }),
    z.object({
      type: z.literal('update-record'),
      scope,
      configuration: z.object({
        fields: z.array(z.object({ fieldName: z.string().min(1), value: z.unknown() })).min(1),
      }),
    }),
  ]),
});

/** `GET /agent/model-customizations`. An agent reads each by itself, so that a strange one does not take the others with it. */
export const modelCustomizationsSchema = z.array(z.unknown());

export type ModelCustomization = z.infer<typeof modelCustomizationSchema>;
