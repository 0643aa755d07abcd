import type { AdminEntry, AuditEntry } from '#contracts/audit/rows';

/**
 * Where an entry names a person or holds values of records, in the order of canonical JSON. These are never hashed, so that they can be erased. Names of
 * teams, roles, collections and environments name groups and things; ids of records mean something only in the database of the user.
 */
export function personalPlaces(entry: AuditEntry): readonly string[] {
  if (entry.object === 'activityLog') return userAlone;
  if (entry.object === 'activityLogRecords') return (entry.kept ?? []).map((_, index) => placeOfKept(index)).sort();
  return entry.object === 'adminLog' ? placesOfChange(entry).sort() : [];
}

/** The place of the digest of the values of one record. */
export function placeOfKept(index: number): string {
  return `kept.${index}`;
}

/** What the key of the platform seals the values of records for. */
export const valuesPurpose = 'values of records';

const userAlone = ['user'];

function placesOfChange(entry: AdminEntry): string[] {
  return [
    ...(entry.address === undefined ? [] : ['address']),
    ...(entry.user === undefined ? [] : ['user']),
    ...(['previousValue', 'newValue'] as const).flatMap((name) =>
      placesOfValue(entry[name]).map((place) => `${name}.${place}`),
    ),
  ];
}

/** Members, owners of tokens and sessions, invited people, what somebody wrote, and people whose rights a sentence tells. */
function placesOfValue(value: AdminEntry['newValue']): readonly string[] {
  if (value === undefined) return [];
  const sentences = 'sentences' in value ? value.sentences : [];
  return [
    ...('user' in value ? ['user'] : []),
    ...('email' in value ? ['email'] : []),
    ...('reason' in value ? ['reason'] : []),
    ...sentences.flatMap((sentence, index) => (/^\S+@\S+ has the /.test(sentence) ? [`sentences.${index}`] : [])),
  ];
}
