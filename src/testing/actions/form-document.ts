import * as z from 'zod';

const fieldType = z.union([z.string(), z.tuple([z.string()])]);

/** A field of a form as the agent sends it; the schema of the agent has `defaultValue` where a form has `value`. */
const formFieldSchema = z.looseObject({
  field: z.string(),
  label: z.string().nullish(),
  description: z.string().nullish(),
  type: fieldType,
  isRequired: z.boolean().nullish(),
  isReadOnly: z.boolean().nullish(),
  enums: z.array(z.string()).nullish(),
  /** `collection.column` of a field that picks a record. */
  reference: z.string().nullish(),
  /** Present where the form is asked for again after an edit. */
  hook: z.string().nullish(),
  widgetEdit: z.object({ name: z.string(), parameters: z.record(z.string(), z.unknown()) }).nullish(),
  value: z.unknown().optional(),
  defaultValue: z.unknown().optional(),
});

export type FormFieldDocument = Readonly<z.infer<typeof formFieldSchema>>;

/** An element of a layout as the agent sends it. */
export type LayoutDocument =
  | { readonly component: 'input'; readonly fieldId: string }
  | { readonly component: 'separator' }
  | { readonly component: 'htmlBlock'; readonly content: string }
  | { readonly component: 'row'; readonly fields: readonly LayoutDocument[] }
  | {
      readonly component: 'page';
      readonly nextButtonLabel?: string | undefined;
      readonly previousButtonLabel?: string | undefined;
      readonly elements: readonly LayoutDocument[];
    };

const layoutSchema: z.ZodType<LayoutDocument> = z.lazy(() =>
  z.union([
    z.object({ component: z.literal('input'), fieldId: z.string() }),
    z.object({ component: z.literal('separator') }),
    z.object({ component: z.literal('htmlBlock'), content: z.string() }),
    z.object({ component: z.literal('row'), fields: z.array(layoutSchema) }),
    z.object({
      component: z.literal('page'),
      nextButtonLabel: z.string().optional(),
      previousButtonLabel: z.string().optional(),
      elements: z.array(layoutSchema),
    }),
  ]),
);

export const formSchema = z.object({
  fields: z.array(formFieldSchema),
  layout: z.array(layoutSchema).default([]),
});

/** A form without layout elements has an empty layout. */
export type FormDocument = Readonly<z.infer<typeof formSchema>>;

/** A form that the schema carries, because it is the same for everybody. */
export function formInSchema(action: { readonly fields: unknown; readonly layout?: unknown }): FormDocument {
  const { fields, layout } = formSchema.parse(action);
  return { fields: fields.map(({ defaultValue: value, ...field }) => ({ ...field, value })), layout };
}
