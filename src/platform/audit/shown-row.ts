import { disclosedRow, putBack, type RowParts } from '#contracts/audit/disclosures';
import type { ActivityEntry, AdminEntry, AuditUser, RowPlace } from '#contracts/audit/rows';

export type ShownEntry = (ActivityEntry | AdminEntry) & RowPlace;

export const erasedEmail = 'erased@erased.invalid';
/** What stands for somebody who was erased, in a form that every client takes. No person has this id. */
export const erasedUser: AuditUser = { object: 'user', id: 0, email: erasedEmail, username: '' };

/** An act or a change as clients see it: with its personal values, or with what stands for erased ones. */
export function shownRow(parts: RowParts): ShownEntry {
  const { row, erased } = disclosedRow<ShownEntry>(parts);
  for (const place of erased) {
    const name = place.slice(place.lastIndexOf('.') + 1);
    // An address may be missing anyhow.
    if (name === 'user') putBack(row, place, erasedUser);
    else if (name !== 'address') putBack(row, place, erasedEmail);
  }
  return row;
}
