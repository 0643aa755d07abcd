import * as z from 'zod';
import { keptText } from './kept-text.ts';

/** The rights on a field. */
export const fieldRights = ['read', 'filter', 'write'] as const;

/** The masks that every agent has; its code may add others. */
export const ownMaskNames = ['last4', 'email', 'present'] as const;

const granted = z.boolean().optional();

/** A rule for a field, as `permissions.json` has it. */
export const roleFieldSchema = z.union([
  z.boolean(),
  z.strictObject({
    read: z
      .union([z.boolean(), keptText.min(1)])
      .optional()
      .describe(
        'false hides the field; "last4", "email", "present" or a mask of the code shows a text that says less.',
      ),
    filter: granted.describe('Filter, sort, group and search by it.'),
    write: granted.describe('Write it. Without this, a masked field is not written.'),
  }),
]);

export type RoleField = z.infer<typeof roleFieldSchema>;

/** What a role may do with a field. */
export interface FieldRight {
  /** `false`: nothing, not even know that it is there; a text: the name of the mask that its values are shown through. */
  readonly read: boolean | string;
  readonly filter: boolean;
  readonly write: boolean;
}

/** What a rule for a field says in full: what is not stated follows from whether its values may be read as they are. */
export function fieldRightOf(field: RoleField): FieldRight {
  if (typeof field === 'boolean') return { read: field, filter: field, write: field };
  const { read = true, filter = read === true, write = read === true } = field;
  return { read, filter, write };
}
